//! Functions that the host calls. The host gets room from [`input`], writes a request there, calls [`answer`], and reads
//! [`length`] bytes from where that points. After a trap, [`failure`] has the reason.

// This code follows no pointer: only the host does, in the memory that it sees.
#![allow(unsafe_code)]

use crate::Desk;
use std::cell::RefCell;

thread_local! {
    static DESK: RefCell<Desk> = RefCell::default();
    static INPUT: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static ANSWER: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
    static REASON: RefCell<String> = const { RefCell::new(String::new()) };
}

/// Makes room for a request of `length` bytes of UTF-8, and returns its address.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    INPUT.with_borrow_mut(|input| {
        *input = vec![0; length];
        input.as_mut_ptr()
    })
}

/// Answers the request, and returns the address of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    std::panic::set_hook(Box::new(|panic| REASON.set(panic.to_string())));
    let request = INPUT.take();
    let answer = DESK.with_borrow_mut(|desk| desk.answer(&String::from_utf8_lossy(&request)));
    told(answer)
}

/// Returns the length of the last answer in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn length() -> usize {
    ANSWER.with_borrow(Vec::len)
}

/// Returns the address of an answer that says why the engine failed.
#[unsafe(no_mangle)]
pub extern "C" fn failure() -> *const u8 {
    told(REASON.take())
}

fn told(text: String) -> *const u8 {
    ANSWER.with_borrow_mut(|answer| {
        *answer = text.into_bytes();
        answer.as_ptr()
    })
}
