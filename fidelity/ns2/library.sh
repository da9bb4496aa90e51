#!/bin/sh
# Builds library.cc: library.sh NS2_SOURCE LIBRARY
# NS2_SOURCE is ns-2.35's source (`apt-get source ns2`); libtclcl1-dev, libotcl1-dev and tcl8.6-dev are needed.
# HEADERS may name where the headers of these packages are, if not in /usr/include.
set -e
source=$1 library=$2 headers=${HEADERS:-/usr/include}
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
# What `configure` would find on Linux, of what the headers ask for.
for name in INT64 SOCKLEN_T BCOPY BZERO GETRUSAGE SBRK SNPRINTF STRTOLL STRTOQ STRING_H STRINGS_H ARPA_INET_H \
    NETINET_IN_H NET_ETHERNET_H STL; do
  echo "#define HAVE_$name 1"
done >"$work/autoconf.h"
echo "#define STDC_HEADERS 1" >>"$work/autoconf.h"
includes=$(find "$source" -maxdepth 2 -name '*.h' -printf '-I%h\n' | sort -u)
# shellcheck disable=SC2086
c++ -w -O2 -shared -fPIC -DUSE_INTERP_RESULT -I"$work" $includes -I"$headers/tclcl" -I"$headers" -I/usr/include/tcl8.6 \
  "$(dirname "$0")/library.cc" -o "$library"
