//! A table's memory on Windows: in large pages if the user may have them, otherwise in small ones.
//!
//! Large pages are never swapped out, so they take the right to "lock pages in memory", which a
//! user must be given and a program must claim. They take up memory at once.
//!
//! Source: Microsoft's documentation, "Large-Page Support".
#![expect(unsafe_code, reason = "mapped memory is raw")]

use std::ffi::c_void;
use std::ptr::{self, NonNull};

use windows_sys::Win32::Foundation::{CloseHandle, ERROR_SUCCESS, GetLastError, HANDLE, LUID};
use windows_sys::Win32::Security::{
    AdjustTokenPrivileges, LUID_AND_ATTRIBUTES, LookupPrivilegeValueW, SE_LOCK_MEMORY_NAME,
    SE_PRIVILEGE_ENABLED, TOKEN_ADJUST_PRIVILEGES, TOKEN_PRIVILEGES, TOKEN_QUERY,
};
use windows_sys::Win32::System::Memory::{
    GetLargePageMinimum, MEM_COMMIT, MEM_LARGE_PAGES, MEM_RELEASE, MEM_RESERVE, PAGE_READWRITE,
    VIRTUAL_ALLOCATION_TYPE, VirtualAlloc, VirtualFree,
};
use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
use windows_sys::Win32::System::Threading::{GetCurrentProcess, OpenProcessToken};

/// Zeroed pages.
#[derive(Debug)]
pub struct Pages(NonNull<c_void>);

// SAFETY: `Pages` own their memory alone, and only lend its address.
unsafe impl Send for Pages {}
// SAFETY: likewise.
unsafe impl Sync for Pages {}

impl Pages {
    /// Pages for `bytes` bytes.
    pub fn new(bytes: usize) -> Option<Self> {
        in_large_pages(bytes).or_else(|| map(bytes, 0)).map(Self)
    }

    #[inline]
    pub fn base(&self) -> *const u8 {
        self.0.as_ptr().cast()
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // SAFETY: this is all that `map` has returned, and nobody uses it again.
        unsafe { VirtualFree(self.0.as_ptr(), 0, MEM_RELEASE) };
    }
}

/// New zeroed large pages for `bytes` bytes, if the system grants them.
fn in_large_pages(bytes: usize) -> Option<NonNull<c_void>> {
    // SAFETY: the call only tells a size.
    let page = unsafe { GetLargePageMinimum() };
    if page == 0 || !may_lock_memory() {
        return None;
    }
    map(bytes.checked_next_multiple_of(page)?, MEM_LARGE_PAGES)
}

/// New zeroed pages of that kind for `bytes` bytes.
fn map(bytes: usize, kind: VIRTUAL_ALLOCATION_TYPE) -> Option<NonNull<c_void>> {
    let kind = MEM_RESERVE | MEM_COMMIT | kind;
    // SAFETY: new pages at an address of the system's choice touch nothing else.
    NonNull::new(unsafe { VirtualAlloc(ptr::null(), bytes, kind, PAGE_READWRITE) })
}

/// Claims the right to lock pages in memory for this process; false if the user does not have it.
fn may_lock_memory() -> bool {
    let mut token: HANDLE = ptr::null_mut();
    let access = TOKEN_ADJUST_PRIVILEGES | TOKEN_QUERY;
    // SAFETY: the process is this one, and the handle outlives the call.
    if unsafe { OpenProcessToken(GetCurrentProcess(), access, &raw mut token) } == 0 {
        return false;
    }
    let mut right = LUID::default();
    // SAFETY: the name is a constant, the null pointers stand for this machine and for answers that
    // nobody wants, and the rest outlives the calls. The error tells whether the right was there to
    // claim.
    unsafe {
        let is_known = LookupPrivilegeValueW(ptr::null(), SE_LOCK_MEMORY_NAME, &raw mut right) != 0;
        let privilege = LUID_AND_ATTRIBUTES { Luid: right, Attributes: SE_PRIVILEGE_ENABLED };
        let claim = TOKEN_PRIVILEGES { PrivilegeCount: 1, Privileges: [privilege] };
        let nothing = (ptr::null_mut(), ptr::null_mut());
        let is_granted = is_known
            && AdjustTokenPrivileges(token, 0, &raw const claim, 0, nothing.0, nothing.1) != 0
            && GetLastError() == ERROR_SUCCESS;
        CloseHandle(token);
        is_granted
    }
}

pub fn physical() -> Option<usize> {
    let mut status =
        MEMORYSTATUSEX { dwLength: size_of::<MEMORYSTATUSEX>() as u32, ..Default::default() };
    // SAFETY: the structure has the size that it says, and outlives the call.
    let is_told = unsafe { GlobalMemoryStatusEx(&raw mut status) } != 0;
    usize::try_from(status.ullTotalPhys).ok().filter(|&bytes| is_told && bytes > 0)
}
