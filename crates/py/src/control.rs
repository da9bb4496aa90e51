//! Congestion controls that are Python objects.
//!
//! If a control raises an exception, the [`Watch`] notes it. The control then does not call Python any more, and the run ends when it
//! looks at the watch next.

use crate::errors::{ControlError, input_error};
use airfair_core::{Span, Time};
use airfair_lab::Experiment;
use airfair_scenario::resolved::Transport;
use airfair_tcp::congestion::{self, AckEvent, CongestionControl, Control, CustomControl, Reduction};
use pyo3::exceptions::{PyException, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Largest window in segments, which is also the most that `window` allows.
const MOST: f64 = 1_073_741_824.0;

/// A Python object that controls flows, and the optional methods that it has.
#[derive(Clone, Debug)]
pub struct PythonControl {
    /// Name of the flows that it controls; `None`: all TCP flows.
    flow: Option<String>,
    given: Arc<Given>,
}

#[derive(Debug)]
struct Given {
    object: Py<PyAny>,
    /// Name of the object's class.
    name: String,
    methods: Methods,
}

/// The optional methods of a control that its class defines.
#[derive(Clone, Copy, Debug, Default)]
struct Methods {
    on_open: bool,
    on_duplicate_ack: bool,
    on_mark: bool,
    on_marked: bool,
    heeds_marks: bool,
    on_send: bool,
    on_undo: bool,
    on_idle_restart: bool,
}

impl PythonControl {
    /// Makes a control from `object` for this flow, or for all, with the optional methods of these names.
    pub fn new(
        flow: Option<String>,
        object: &Bound<'_, PyAny>,
        methods: &[String],
    ) -> PyResult<PythonControl> {
        let has = |name: &str| methods.iter().any(|method| method == name);
        let methods = Methods {
            on_open: has("on_open"),
            on_duplicate_ack: has("on_duplicate_ack"),
            on_mark: has("on_mark"),
            on_marked: has("on_marked"),
            heeds_marks: has("heeds_marks"),
            on_send: has("on_send"),
            on_undo: has("on_undo"),
            on_idle_restart: has("on_idle_restart"),
        };
        let name = object.get_type().name()?.to_string();
        Ok(PythonControl { flow, given: Arc::new(Given { object: object.clone().unbind(), name, methods }) })
    }
}

/// Returns the experiment with these controls in its scenario, and the watch on which a run of it notes an exception.
pub fn controlled(experiment: &Experiment, controls: &[PythonControl]) -> (Experiment, Arc<Watch>) {
    let mut experiment = experiment.clone();
    let watch = Arc::new(Watch::default());
    for PythonControl { flow, given } in controls {
        for one in experiment.loaded.scenario.flows.iter_mut() {
            if flow.as_ref().is_some_and(|flow| *flow != one.name) {
                continue;
            }
            if let Transport::Tcp { settings, .. } = &mut one.transport {
                let (given, watch) = (Arc::clone(given), Arc::clone(&watch));
                let custom = CustomControl::new("python", move |_| Box::new(Asked::new(&given, &watch)));
                Arc::make_mut(settings).control = Control::Custom(custom);
            }
        }
    }
    (experiment, watch)
}

/// Checks that each control has flows to control. Raises `InputError`.
pub fn check(experiment: &Experiment, controls: &[PythonControl]) -> PyResult<()> {
    let flows = &experiment.loaded.scenario.flows;
    for flow in controls.iter().filter_map(|control| control.flow.as_ref()) {
        let found = flows.iter().find(|one| one.name == *flow);
        let found = found.ok_or_else(|| input_error(format_args!("control: there is no flow `{flow}`")))?;
        if !matches!(found.transport, Transport::Tcp { .. }) {
            return Err(input_error(format_args!("control: the flow `{flow}` is not one of TCP")));
        }
    }
    if !flows.iter().any(|flow| matches!(flow.transport, Transport::Tcp { .. })) {
        return Err(input_error("control: no flow of the scenario is one of TCP"));
    }
    Ok(())
}

/// The first exception that a control of a run raised.
#[derive(Default)]
pub struct Watch {
    failed: AtomicBool,
    failure: Mutex<Option<PyErr>>,
}

impl Watch {
    fn has_failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }

    /// Raises the exception that a control raised, if there is one.
    pub fn check(&self) -> PyResult<()> {
        if !self.has_failed() {
            return Ok(());
        }
        let failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.as_ref().map_or(Ok(()), |error| Err(Python::attach(|py| error.clone_ref(py))))
    }

    /// Notes the exception that the method with this name of a control raised. What is not the fault of the control, such as Ctrl-C, is
    /// kept unchanged.
    fn note(&self, py: Python<'_>, control: &str, method: &str, error: PyErr) {
        let error = if error.is_instance_of::<PyException>(py) {
            let place = place(py, &error).unwrap_or_default();
            let told = ControlError::new_err(format!("control {control}: {method}: {error}{place}"));
            told.set_cause(py, Some(error));
            told
        } else {
            error
        };
        let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
        failure.get_or_insert(error);
        self.failed.store(true, Ordering::Relaxed);
    }
}

/// Returns the file and the line of Python that raised the exception.
fn place(py: Python<'_>, error: &PyErr) -> Option<String> {
    let mut frame = error.traceback(py)?.into_any();
    while let Some(next) = frame.getattr("tb_next").ok().filter(|next| !next.is_none()) {
        frame = next;
    }
    let line: u32 = frame.getattr("tb_lineno").ok()?.extract().ok()?;
    let code = frame.getattr("tb_frame").ok()?.getattr("f_code").ok()?;
    let file: String = code.getattr("co_filename").ok()?.extract().ok()?;
    Some(format!(" ({file}, line {line})"))
}

/// The control of one connection: a deep copy of the user's object.
struct Asked {
    object: Py<PyAny>,
    name: String,
    methods: Methods,
    watch: Arc<Watch>,
}

impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)
    }
}

impl Asked {
    fn new(given: &Given, watch: &Arc<Watch>) -> Asked {
        let (name, methods, watch) = (given.name.clone(), given.methods, Arc::clone(watch));
        let object = Python::attach(|py| {
            let copied =
                py.import("copy").and_then(|copy| copy.call_method1("deepcopy", (given.object.bind(py),)));
            copied.map(Bound::unbind).unwrap_or_else(|error| {
                watch.note(py, &name, "copy.deepcopy", error);
                given.object.clone_ref(py)
            })
        });
        Asked { object, name, methods, watch }
    }

    /// Calls Python; `None` after a failure.
    fn ask<T>(&self, method: &str, ask: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> Option<T> {
        if self.watch.has_failed() {
            return None;
        }
        Python::attach(|py| {
            ask(self.object.bind(py)).map_err(|error| self.watch.note(py, &self.name, method, error)).ok()
        })
    }

    /// Calls a method without a result, if the class has it.
    fn tell<'a>(
        &self,
        has: bool,
        method: &str,
        arguments: impl for<'py> FnOnce(Python<'py>) -> PyResult<Bound<'py, PyTuple>>,
    ) {
        if has {
            self.ask(method, |object| object.call_method1(method, arguments(object.py())?).map(|_| ()));
        }
    }

    /// Calls a method that may change the window.
    fn move_window(&self, method: &str, window: &mut airfair_tcp::Window, ack: Option<&AckEvent>) {
        let moved = self.ask(method, |object| {
            let py = object.py();
            let seen = Bound::new(py, Window(window.clone()))?;
            match ack {
                Some(ack) => object.call_method1(method, (&seen, Ack::from(ack)))?,
                None => object.call_method1(method, (&seen,))?,
            };
            let moved = seen.borrow().0.clone();
            Ok(moved)
        });
        if let Some(moved) = moved {
            *window = moved;
        }
    }

    /// Returns what a method answers to a loss. After a failure, half of the window remains.
    fn cut(&self, method: &str, window: &airfair_tcp::Window, loss: &congestion::Loss) -> Reduction {
        let answer = self.ask(method, |object| {
            let seen = Bound::new(object.py(), Window(window.clone()))?;
            let loss = Loss {
                now: loss.now.as_secs(),
                base: loss.base,
                timeout: loss.timeout,
                segment_bytes: loss.segment_bytes,
            };
            reduction(&object.call_method1(method, (&seen, loss))?)
        });
        answer.unwrap_or_else(|| Reduction::to(loss.base / 2.0))
    }
}

impl CongestionControl for Asked {
    fn on_open(&mut self, window: &mut airfair_tcp::Window) {
        if self.methods.on_open {
            self.move_window("on_open", window, None);
        }
    }

    fn on_ack(&mut self, window: &mut airfair_tcp::Window, ack: &AckEvent) {
        self.move_window("on_ack", window, Some(ack));
    }

    fn on_duplicate_ack(&mut self, _window: &mut airfair_tcp::Window, ack: &AckEvent) {
        self.tell(self.methods.on_duplicate_ack, "on_duplicate_ack", |py| {
            (Ack::from(ack),).into_pyobject(py)
        });
    }

    fn on_loss(&mut self, window: &airfair_tcp::Window, loss: &congestion::Loss) -> Reduction {
        self.cut("on_loss", window, loss)
    }

    fn on_mark(&mut self, window: &airfair_tcp::Window, loss: &congestion::Loss) -> Reduction {
        self.cut(if self.methods.on_mark { "on_mark" } else { "on_loss" }, window, loss)
    }

    fn heeds_marks(&self, now: Time) -> bool {
        let heeds =
            |object: &Bound<'_, PyAny>| object.call_method1("heeds_marks", (now.as_secs(),))?.is_truthy();
        !self.methods.heeds_marks || self.ask("heeds_marks", heeds).unwrap_or(true)
    }

    fn on_marked(&mut self, bytes: u64) {
        self.tell(self.methods.on_marked, "on_marked", |py| (bytes,).into_pyobject(py));
    }

    fn on_send(&mut self, now: Time, bytes: u32) {
        self.tell(self.methods.on_send, "on_send", |py| (now.as_secs(), bytes).into_pyobject(py));
    }

    fn on_undo(&mut self) {
        self.tell(self.methods.on_undo, "on_undo", |py| Ok(PyTuple::empty(py)));
    }

    fn on_idle_restart(&mut self) {
        self.tell(self.methods.on_idle_restart, "on_idle_restart", |py| Ok(PyTuple::empty(py)));
    }
}

/// Reads an answer to a loss: a number of segments, or an object with `ssthresh`, `cwnd` and `loss_window`.
fn reduction(answer: &Bound<'_, PyAny>) -> PyResult<Reduction> {
    if let Ok(number) = answer.extract::<f64>() {
        return segments("the answer", number).map(Reduction::to);
    }
    let no_answer = || {
        // The text of an answer may have any length, so it is shortened.
        let shown = answer.py().import("reprlib").and_then(|module| module.call_method1("repr", (answer,)));
        let shown = shown.map_or_else(|_| "this".to_owned(), |text| text.to_string());
        PyTypeError::new_err(format!("{shown} is no answer: give a number of segments, or a Reduction"))
    };
    let field = |name: &str| -> PyResult<Option<f64>> {
        let value: Option<f64> =
            answer.getattr(name).and_then(|value| value.extract()).map_err(|_: PyErr| no_answer())?;
        value.map(|value| segments(name, value)).transpose()
    };
    let (ssthresh, cwnd) = (field("ssthresh")?.ok_or_else(no_answer)?, field("cwnd")?.ok_or_else(no_answer)?);
    Ok(Reduction { ssthresh, cwnd, loss_window: field("loss_window")? })
}

/// Returns `number` if a window may have that size in segments.
fn segments(name: &str, number: f64) -> PyResult<f64> {
    if (0.0..=MOST).contains(&number) {
        Ok(number)
    } else {
        Err(PyValueError::new_err(format!(
            "{name}, {number:?}, is not a number of segments from 0 to {MOST}"
        )))
    }
}

/// The congestion window and its threshold, in segments, as a control sees them during a call.
#[pyclass(module = "airfair")]
pub struct Window(airfair_tcp::Window);

#[pymethods]
impl Window {
    /// The congestion window in segments. Setting it raises `ValueError` for what is not a number of segments.
    #[getter]
    fn cwnd(&self) -> f64 {
        self.0.cwnd
    }

    #[setter]
    fn set_cwnd(&mut self, cwnd: f64) -> PyResult<()> {
        self.0.cwnd = segments("cwnd", cwnd)?;
        Ok(())
    }

    /// The slow-start threshold in segments. Setting it raises `ValueError` for what is not a number of segments.
    #[getter]
    fn ssthresh(&self) -> f64 {
        self.0.ssthresh
    }

    #[setter]
    fn set_ssthresh(&mut self, ssthresh: f64) -> PyResult<()> {
        self.0.ssthresh = segments("ssthresh", ssthresh)?;
        Ok(())
    }

    /// The largest size of the congestion window in segments: it never opens beyond this.
    #[getter]
    fn maximum(&self) -> f64 {
        self.0.maximum
    }

    /// Whether the window is below the threshold.
    #[getter]
    fn in_slow_start(&self) -> bool {
        self.0.in_slow_start()
    }

    /// Open the window by Reno's slow start or congestion avoidance, for an ACK of `bytes` (RFC 5681, section 3.1).
    fn open(&mut self, bytes: u64) {
        self.0.open(bytes);
    }

    /// Open the window like `open`, but by `increase` segments a round trip in congestion avoidance, where Reno has one. Raises
    /// `ValueError`.
    fn open_adding(&mut self, increase: f64, bytes: u64) -> PyResult<()> {
        self.0.open_adding(segments("increase", increase)?, bytes);
        Ok(())
    }

    /// From now on only the control changes the window, by its answers and in `on_ack`.
    fn hold(&mut self) {
        self.0.hold();
    }

    fn __repr__(&self) -> String {
        format!("<Window cwnd {} ssthresh {}>", self.0.cwnd, self.0.ssthresh)
    }
}

/// An ACK as a control sees it. Times are in s since the start of the run.
#[pyclass(module = "airfair", frozen, get_all)]
pub struct Ack {
    /// When it came.
    now: f64,
    /// Everything before this offset in byte is acknowledged, this ACK included; a SYN counts as a segment.
    una: u64,
    /// The offset of the next segment to send.
    nxt: u64,
    /// Bytes that this ACK acknowledged.
    acked: u64,
    /// Payload bytes of a full segment.
    segment_bytes: u32,
    /// The exact round trip of the segment that this ACK completes, in s, if it was sent once.
    rtt: Option<f64>,
    /// The retransmission timer's smoothed round trip in s.
    srtt: Option<f64>,
    /// Loss recovery does not forbid the window to grow.
    may_grow: bool,
    /// The sender has been found to be limited by its window (`grow_to_twice_used`), whatever is outstanding now.
    found_limited: bool,
}

impl From<&AckEvent> for Ack {
    fn from(ack: &AckEvent) -> Ack {
        let AckEvent { now, una, nxt, acked, segment_bytes, rtt, srtt, may_grow, found_limited, paced: _ } =
            *ack;
        let [rtt, srtt] = [rtt, srtt].map(|time| time.map(Span::as_secs));
        Ack { now: now.as_secs(), una, nxt, acked, segment_bytes, rtt, srtt, may_grow, found_limited }
    }
}

/// A loss as a control sees it.
#[pyclass(module = "airfair", frozen, get_all)]
pub struct Loss {
    /// When it was found, in s since the start of the run.
    now: f64,
    /// The quantity to halve, in segments: the window in use, or the data outstanding, as the scenario says.
    base: f64,
    /// Found by the retransmission timer.
    timeout: bool,
    /// Payload bytes of a full segment.
    segment_bytes: u32,
}
