//! A long answer in many small deltas, through four wraps.

use std::path::PathBuf;

use anyhow::Result;

use crate::child::Running;
use crate::client;
use crate::contender::Contender;
use crate::model::{self, Pace};
use crate::scene::Scene;
use crate::table::{Samples, Table, Unit};

const WRAPS: usize = 4;

/// A form of the harness, its patches and the bound it is held to.
type Form = (&'static str, Vec<PathBuf>, Option<f64>);

/// Runs of one contender.
#[derive(Default)]
struct Runs {
    cpu: Samples,
    waits: Samples,
}

pub(crate) fn measure(scene: &Scene, count: usize, runs: usize, table: &mut Table) -> Result<()> {
    let forms: [Form; 4] = [
        ("default rows", Vec::new(), None),
        ("four wraps that pass it on", vec![scene.wraps("llm-pass", WRAPS)?], Some(1.5)),
        ("a wrap that tries again", vec![scene.wraps("llm-retry", 1)?], Some(1.5)),
        ("four wraps that change each delta", vec![scene.wraps("llm-upper", WRAPS)?], None),
    ];
    let folder = scene.shipped();
    let bodies = scene.path("deltas.bodies");
    let ways = [
        (Pace::Alone, count, "each sent alone"),
        (Pace::Free, count, "sent as fast as they go"),
        (Pace::Ticking, count / 10, "one each millisecond"),
    ];
    for (pace, count, how) in ways {
        let stream = Stream { scene, count, pace };
        let (mut spine, mut client) = (Runs::default(), Runs::default());
        let mut harness = [(); 4].map(|()| Runs::default());
        for _ in 0..runs {
            let body = stream.to(Contender::Spine, &mut spine)?;
            client::record(&[body], &bodies)?;
            stream.to(Contender::Client { bodies: &bodies }, &mut client)?;
            for ((_, patches, _), runs) in forms.iter().zip(&mut harness) {
                stream.to(Contender::Harness { folder: &folder, patches }, runs)?;
            }
        }
        table.heading(&format!("{count} deltas, {how}: CPU from the first request to the end"));
        for ((name, _, bound), runs) in forms.iter().zip(&harness) {
            let bound = bound.filter(|_| pace != Pace::Ticking);
            table.pair(&format!("  {name}"), Unit::Time, &runs.cpu, &spine.cpu, bound);
            table.pair("  … how often it waited", Unit::Count, &runs.waits, &spine.waits, None);
        }
        table.pair("  a client that forgets the answer", Unit::Time, &client.cpu, &spine.cpu, None);
    }
    Ok(())
}

/// A long answer.
#[derive(Clone, Copy)]
struct Stream<'a> {
    scene: &'a Scene,
    count: usize,
    pace: Pace,
}

impl Stream<'_> {
    /// Runs once; the body of the request.
    fn to(self, contender: Contender<'_>, runs: &mut Runs) -> Result<String> {
        let model = model::streaming(self.count, self.pace)?;
        let mut running = Running::start(contender, self.scene, model.base_url())?;
        model::wait_for(&model, 1, &mut running)?;
        let before = running.cpu()?;
        model::go_on(&model, 1);
        let ended = running.end()?;
        runs.cpu.time(ended.cpu.saturating_sub(before));
        runs.waits.push(ended.waits as f64);
        Ok(model.requests().into_iter().next().map(|request| request.body).unwrap_or_default())
    }
}
