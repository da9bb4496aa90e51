# docker build -t airfair . && docker run --rm -v "$PWD":/work airfair run jung/mixed
FROM python:3.13-slim-bookworm AS build
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# hadolint ignore=DL3008
RUN apt-get update && apt-get install --yes --no-install-recommends build-essential ca-certificates curl \
    && rm -rf /var/lib/apt/lists/*
ENV PATH=/root/.cargo/bin:$PATH
RUN curl --proto '=https' --tlsv1.2 --fail --silent --show-error https://sh.rustup.rs \
    | sh -s -- -y --profile minimal --component llvm-tools
WORKDIR /source
COPY . .
RUN make wheel

FROM python:3.13-slim-bookworm
COPY --from=build /source/dist /dist
RUN python -m pip install --no-cache-dir /dist/*.whl && rm -rf /dist && useradd --create-home --uid 10001 airfair
USER 10001
WORKDIR /work
ENTRYPOINT ["airfair"]
CMD ["--help"]
