//! Prefetching of cache lines that will be needed. This is the only code of the engine that is not safe Rust.

/// Bytes of a cache line.
pub const LINE: usize = 64;

/// Asks for the cache line of the byte at `offset` in a value, and does not wait for it. A call changes nothing but the time that later
/// reads take. On processors other than x86-64 and AArch64 it does nothing.
#[inline(always)]
#[allow(unsafe_code, reason = "the compiler has no safe function for it; other processors need none")]
pub fn prefetch<T: ?Sized>(value: &T, offset: usize) {
    debug_assert!(offset < size_of_val(value));
    let at = std::ptr::from_ref(value).cast::<i8>().wrapping_add(offset);
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the instruction accesses no memory that the program sees, and faults at no address.
    unsafe {
        use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(at);
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above; it changes no register and no flag.
    unsafe {
        core::arch::asm!("prfm pldl1keep, [{at}]", at = in(reg) at, options(nostack, preserves_flags, readonly));
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = at;
}
