//! This process as the system sees it. No process that a plugin started outlives this one, however it ends: not a shell's background job, not a daemon in a session of its own.
//!
//! Linux hands a descendant whose parent has died to the nearest subreaper, so all of them are found among this process's children.
use rustix::process::{
    DumpableBehavior, Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper,
    set_dumpable_behavior, waitpid,
};
use std::{fs, time::Duration};

const ROUNDS: u32 = 100;
const ROUND_TIME: Duration = Duration::from_millis(5);

/// From now on orphaned descendants become children of this process.
pub fn adopt_orphans() {
    // A kernel without subreapers leaves orphans to init, as ever.
    let _ = set_child_subreaper(Some(getpid()));
}

/// Kills what is left. Killing one hands on its children, so this goes on until there are none, for half a second at most.
pub fn end_orphans() {
    for _ in 0..ROUNDS {
        let children = children();
        if children.is_empty() {
            return;
        }
        for child in children {
            // Whichever fails, the next look tells whether it is gone.
            let _ = kill_process(child, Signal::KILL);
            let _ = waitpid(Some(child), WaitOptions::NOHANG);
        }
        std::thread::park_timeout(ROUND_TIME);
    }
}

fn children() -> Vec<Pid> {
    let threads = fs::read_dir("/proc/self/task").into_iter().flatten().filter_map(Result::ok);
    let lists = threads.filter_map(|thread| fs::read_to_string(thread.path().join("children")).ok());
    let all = lists.collect::<Vec<_>>().join(" ");
    all.split_whitespace().filter_map(|pid| pid.parse().ok().and_then(Pid::from_raw)).collect()
}

/// Lets no process of the same user look into this one's memory and first environment: what was removed from the environment since
/// still stands in both. The superuser may look all the same.
pub fn close_memory() {
    // Where the kernel does not know of it, nothing is lost that was there.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

/// The signals that this process was told to ignore by whoever started it: bit n-1 stands for signal n.
pub fn ignored_signals() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or_default()
}
