//! The searches of several engines, taken in turns.

use std::time::Duration;

use heddle::position::Position;
use heddle::score::Depth;
use heddle::smp::stop::StopFlag;
use heddle::sync::Arc;
use heddle::text::suite::Named;

use heddle_client::{Fault, Reached, Session, Spec};

use crate::measure::{Goal, Measured, Place, Plan, Sample};

/// How deep an engine searches a position.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
enum Aim {
    /// To be found before the first search.
    Unknown,
    /// To this depth, in plies.
    Depth(Depth),
    /// Not at all, since a search of it ended too early.
    LeftOut,
}

/// An engine and its searches.
pub struct Entrant {
    /// Its name in reports.
    pub name: String,
    /// How it was given.
    pub spec: Spec,
    /// Its searches.
    pub measured: Vec<Measured>,
    /// Whatever kept it from being measured as planned.
    pub remarks: Vec<String>,
    /// Whether it had a fault, after which it is not searched with.
    pub is_out: bool,
    /// `None` after a fault, and after the last search.
    session: Option<Session>,
    /// For each position of the suite.
    aims: Vec<Aim>,
}

impl Entrant {
    /// Ends the engine.
    pub fn dismiss(&mut self) {
        self.session = None;
    }

    /// Notes why it is not measured as planned, and tells at once.
    fn remark(&mut self, text: &str, tell: &mut dyn FnMut(&str)) {
        let remark = format!("{}: {text}", self.name);
        tell(&remark);
        self.remarks.push(remark);
    }

    /// Carries out a search of the plan, if the engine takes part in it.
    fn search(&mut self, plan: &Plan, place: Place) -> Result<(), Fault> {
        let Some(session) = &mut self.session else { return Ok(()) };
        let threads = plan.configurations[place.configuration].threads;
        if threads > session.max_threads() {
            return Ok(());
        }
        let position = &plan.suite[place.position].position;
        let aim = &mut self.aims[place.position];
        let (depth, time) = match (plan.goal, *aim) {
            (_, Aim::LeftOut) => return Ok(()),
            (Goal::Depth(depth), _) => (depth, None),
            (Goal::Time(time), Aim::Depth(depth)) => (depth, Some(time)),
            (Goal::Time(time), Aim::Unknown) => (session.reach(position, time)?, Some(time)),
        };
        *aim = Aim::Depth(depth);
        let reached = session.take(position, threads, depth, time)?;
        let sample = sample(position, &reached);
        self.measured.push(Measured { place, depth, sample });
        Ok(())
    }

    /// Deals with a fault: one position or the engine is left out from now on.
    fn give_up(&mut self, fault: &Fault, place: Place, named: &Named, tell: &mut dyn FnMut(&str)) {
        if let Fault::Early { .. } = fault {
            self.aims[place.position] = Aim::LeftOut;
            return self.remark(&format!("{} is left out: {fault}", named.name), tell);
        }
        self.dismiss();
        self.is_out = true;
        self.remark(&format!("left out from {} on: {fault}", named.name), tell);
    }
}

/// The cost of a search that has reached a depth of `position`.
fn sample(position: &Position, reached: &Reached) -> Sample {
    Sample {
        time: reached.time.as_secs_f64().max(f64::EPSILON),
        nodes: reached.nodes,
        depth: reached.depth,
        best_move: position.san(reached.best),
        hashfull: reached.hashfull,
        census: None,
        misses: None,
    }
}

/// Starts the engines. One that cannot be started is in the list with its fault; `tell` is told of
/// it.
pub fn lineup(
    specs: &[Spec],
    plan: &Plan,
    hash: usize,
    patience: Duration,
    cancel: &Arc<StopFlag>,
    tell: &mut dyn FnMut(&str),
) -> Vec<Entrant> {
    let mut entrants: Vec<Entrant> = Vec::new();
    for spec in specs {
        let started = Session::start(spec, hash, patience, Arc::clone(cancel));
        let own = started.as_ref().ok().and_then(|session| session.name());
        let name = spec.name.as_deref().or(own).unwrap_or(&spec.program);
        let mut entrant = Entrant {
            name: unique(name, &entrants.iter().map(|e| e.name.as_str()).collect::<Vec<_>>()),
            spec: spec.clone(),
            measured: Vec::new(),
            remarks: Vec::new(),
            is_out: true,
            session: None,
            aims: vec![Aim::Unknown; plan.suite.len()],
        };
        match started {
            Ok(session) => entrant.welcome(session, plan, tell),
            Err(Fault::Interrupted) => {}
            Err(fault) => entrant.remark(&format!("left out: {fault}"), tell),
        }
        entrants.push(entrant);
    }
    entrants
}

impl Entrant {
    /// Takes an engine in, and says what it cannot do.
    fn welcome(&mut self, session: Session, plan: &Plan, tell: &mut dyn FnMut(&str)) {
        let limit = session.max_threads();
        let most = plan.configurations.iter().map(|c| c.threads).max().unwrap_or(1);
        if limit == 1 && most > 1 {
            self.remark("it has no option for more threads: measured on one", tell);
        } else if limit < most {
            self.remark(&format!("measured on up to {limit} threads, which is its limit"), tell);
        }
        if session.hash().is_none() {
            self.remark("it has no option Hash: its table is as large as it chooses", tell);
        }
        (self.session, self.is_out) = (Some(session), false);
    }
}

/// A name that none of the `others` has.
pub fn unique(name: &str, others: &[&str]) -> String {
    let is_free = |name: &String| !others.contains(&name.as_str());
    let numbered = (2..).map(|number| format!("{name} ({number})"));
    std::iter::once(name.to_owned()).chain(numbered).find(is_free).unwrap_or_default()
}

/// Measures run by run, all engines in turn, so that a machine that slows down affects all of them;
/// every second repeat reverses their order. An engine with a fault is left out from then on.
/// `before` is told the name of the engine and the run.
///
/// # Errors
/// [`Fault::Interrupted`] alone.
pub fn measure(
    plan: &Plan,
    entrants: &mut [Entrant],
    mut before: impl FnMut(&str, Place),
    tell: &mut dyn FnMut(&str),
) -> Result<(), Fault> {
    for place in plan.places() {
        let mut order: Vec<&mut Entrant> = entrants.iter_mut().collect();
        if place.repeat % 2 == 1 {
            order.reverse();
        }
        for entrant in order {
            before(&entrant.name, place);
            match entrant.search(plan, place) {
                Ok(()) => {}
                Err(Fault::Interrupted) => return Err(Fault::Interrupted),
                Err(fault) => entrant.give_up(&fault, place, &plan.suite[place.position], tell),
            }
        }
    }
    Ok(())
}
