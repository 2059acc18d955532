//! `Poll` and `Context` in a form that may cross: a waker is a pointer to a C vtable.
//!
//! Each side owns the vtable of the wakers it makes, so a waker is always cloned, woken and freed by the code
//! that built it, whatever allocator or standard library the other side has.
use abi_stable::StableAbi;
use std::{
    marker::PhantomData,
    mem::ManuallyDrop,
    sync::Arc,
    task::{Context, Poll, RawWaker, RawWakerVTable, Waker},
};

/// [`std::task::Poll`] with a stable layout.
#[repr(C, u8)]
#[derive(StableAbi, Debug)]
pub enum RPoll<T> {
    /// The value is there.
    Ready(T),
    /// Not yet; the waker of the context will be called.
    Pending,
}

impl<T> From<Poll<T>> for RPoll<T> {
    fn from(poll: Poll<T>) -> Self {
        match poll {
            Poll::Ready(value) => RPoll::Ready(value),
            Poll::Pending => RPoll::Pending,
        }
    }
}

impl<T> From<RPoll<T>> for Poll<T> {
    fn from(poll: RPoll<T>) -> Self {
        match poll {
            RPoll::Ready(value) => Poll::Ready(value),
            RPoll::Pending => Poll::Pending,
        }
    }
}

/// The functions of a waker; made by the side that owns the waker.
#[repr(C)]
#[derive(StableAbi)]
pub struct WakerVtable {
    clone: unsafe extern "C" fn(*const WakerHead) -> *const WakerHead,
    wake: unsafe extern "C" fn(*const WakerHead),
    wake_by_ref: unsafe extern "C" fn(*const WakerHead),
    drop: unsafe extern "C" fn(*const WakerHead),
}

/// The first word of every waker that crosses.
#[repr(C)]
#[derive(StableAbi)]
pub struct WakerHead {
    vtable: *const WakerVtable,
}

/// What a poll receives in place of `&mut Context<'_>`. Borrowed for the time of the poll.
#[repr(C)]
#[derive(StableAbi)]
pub struct FfiCx<'a> {
    waker: *const WakerHead,
    _borrow: PhantomData<&'a ()>,
}

#[repr(C)]
struct Owned {
    head: WakerHead,
    waker: Waker,
}

// SAFETY: the vtable pointer leads to a `static`, and a `Waker` is `Send` and `Sync`.
unsafe impl Send for Owned {}
// SAFETY: as above.
unsafe impl Sync for Owned {}

#[repr(C)]
struct Borrowed<'a> {
    head: WakerHead,
    waker: &'a Waker,
}

/// A waker runs code of some executor; a panic in it must not unwind into the other side.
fn no_unwind<R>(f: impl FnOnce() -> R) -> R {
    struct Abort;
    impl Drop for Abort {
        fn drop(&mut self) {
            std::process::abort()
        }
    }
    let bomb = Abort;
    let result = f();
    std::mem::forget(bomb);
    result
}

static OWNED: WakerVtable = {
    unsafe extern "C" fn clone(p: *const WakerHead) -> *const WakerHead {
        // SAFETY: `p` came from `Arc::into_raw` of an `Owned` and is alive while borrowed.
        unsafe { Arc::increment_strong_count(p.cast::<Owned>()) };
        p
    }
    unsafe extern "C" fn wake(p: *const WakerHead) {
        no_unwind(|| {
            // SAFETY: `p` came from `Arc::into_raw`; this call takes over its count.
            let owned = unsafe { Arc::from_raw(p.cast::<Owned>()) };
            owned.waker.wake_by_ref();
        });
    }
    unsafe extern "C" fn wake_by_ref(p: *const WakerHead) {
        // SAFETY: `p` points to a live `Owned`.
        no_unwind(|| unsafe { (*p.cast::<Owned>()).waker.wake_by_ref() });
    }
    unsafe extern "C" fn drop(p: *const WakerHead) {
        // SAFETY: `p` came from `Arc::into_raw`; this call takes over its count.
        no_unwind(|| unsafe { std::mem::drop(Arc::from_raw(p.cast::<Owned>())) });
    }
    WakerVtable { clone, wake, wake_by_ref, drop }
};

static BORROWED: WakerVtable = {
    unsafe extern "C" fn clone(p: *const WakerHead) -> *const WakerHead {
        no_unwind(|| {
            // SAFETY: `p` points to a `Borrowed` that outlives the poll in which this runs.
            let waker = unsafe { (*p.cast::<Borrowed<'_>>()).waker.clone() };
            Arc::into_raw(Arc::new(Owned { head: WakerHead { vtable: &OWNED }, waker })).cast()
        })
    }
    unsafe extern "C" fn wake_by_ref(p: *const WakerHead) {
        // SAFETY: `p` points to a `Borrowed` that outlives the poll in which this runs.
        no_unwind(|| unsafe { (*p.cast::<Borrowed<'_>>()).waker.wake_by_ref() });
    }
    unsafe extern "C" fn drop(_: *const WakerHead) {}
    WakerVtable { clone, wake: wake_by_ref, wake_by_ref, drop }
};

/// The caller's side of a poll: lends its `Context` for the time of `f`.
pub fn lend<R>(cx: &mut Context<'_>, f: impl FnOnce(FfiCx<'_>) -> R) -> R {
    let borrowed = Borrowed { head: WakerHead { vtable: &BORROWED }, waker: cx.waker() };
    f(FfiCx { waker: (&raw const borrowed).cast(), _borrow: PhantomData })
}

static FOREIGN: RawWakerVTable = {
    unsafe fn clone(p: *const ()) -> RawWaker {
        let p = p.cast::<WakerHead>();
        // SAFETY: a live waker object that follows its vtable's rules.
        RawWaker::new(unsafe { ((*(*p).vtable).clone)(p) }.cast(), &FOREIGN)
    }
    unsafe fn wake(p: *const ()) {
        let p = p.cast::<WakerHead>();
        // SAFETY: a live waker object that follows its vtable's rules; its count is handed on.
        unsafe { ((*(*p).vtable).wake)(p) };
    }
    unsafe fn wake_by_ref(p: *const ()) {
        let p = p.cast::<WakerHead>();
        // SAFETY: a live waker object that follows its vtable's rules.
        unsafe { ((*(*p).vtable).wake_by_ref)(p) };
    }
    unsafe fn drop(p: *const ()) {
        let p = p.cast::<WakerHead>();
        // SAFETY: a live waker object that follows its vtable's rules; its count is handed on.
        unsafe { ((*(*p).vtable).drop)(p) };
    }
    RawWakerVTable::new(clone, wake, wake_by_ref, drop)
};

impl FfiCx<'_> {
    /// The callee's side of a poll: runs `f` with an ordinary `Context`.
    pub fn with<R>(self, f: impl FnOnce(&mut Context<'_>) -> R) -> R {
        // SAFETY: the object behind `waker` outlives this call and follows the vtable's rules.
        let waker = ManuallyDrop::new(unsafe { Waker::from_raw(RawWaker::new(self.waker.cast(), &FOREIGN)) });
        f(&mut Context::from_waker(&waker))
    }
}
