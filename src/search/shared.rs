//! The state that workers share: [`Common`] lasts from search to search, [`Run`] is one search, and
//! [`Shared`] is what one worker sees of both.

use crate::eval::nnue::network::Network;
use crate::memory::{HEADROOM, OutOfMemory, check_headroom};
use crate::position::{Game, Key, PackedMove};
use crate::smp::board::Board;
use crate::smp::recorder::{Observer, Recorder};
use crate::smp::stop::StopFlag;
use crate::smp::teamwork::{Sharing, Stagger};
use crate::smp::turnstile::{self, Presence, Turnstile};
use crate::sync::Arc;
use crate::syzygy::{Prober, Probing, Ranking, Tablebases};
use crate::time::limits::Limits;
use crate::tt::{Census, Counting, Table};

use super::Worker;
use super::correction::Correction;
use super::histories::Histories;

/// The state that the workers of an engine share from search to search.
#[derive(Clone)]
pub struct Common {
    /// The transposition table.
    pub table: Arc<Table>,
    /// The network, or none for the classical evaluation.
    pub network: Option<Arc<Network>>,
    /// The tablebases, possibly none.
    pub tablebases: Arc<Tablebases>,
    /// What workers that share their histories learn.
    pub histories: Arc<Histories>,
    /// What each worker shares with its node or group; empty if all workers share the same.
    pub near: Arc<[Option<Near>]>,
    /// Records accesses to shared memory, if set.
    pub recorder: Option<Arc<Recorder>>,
    /// The turns of the workers in the next search, if the engine's owner holds and grants them.
    pub turnstile: Option<Arc<Turnstile>>,
}

/// What the workers of one memory node or group share, in memory of that node.
#[derive(Clone)]
pub struct Near {
    /// Those on its memory node.
    network: Option<Arc<Network>>,
    /// Those of its group, see [`Sharing`].
    histories: Arc<Histories>,
}

impl Near {
    /// Room for one of them, in bytes, rounded up.
    pub const ROOM: usize = 8 << 20;

    /// A copy of `network` and empty histories, in memory near the thread that makes them.
    pub fn new(network: Option<&Network>) -> Self {
        let network = network.cloned().map(Arc::new);
        Self { network, histories: Arc::new(Histories::new()) }
    }

    /// The same with the network of a worker on the same node.
    #[must_use]
    pub fn with_network_of(&self, other: &Self) -> Self {
        Self { network: other.network.clone(), ..self.clone() }
    }
}

impl Common {
    /// A table and an evaluation, with empty histories, no tablebases and nobody who listens.
    pub fn new(table: Arc<Table>, network: Option<Arc<Network>>) -> Result<Self, OutOfMemory> {
        check_headroom(HEADROOM + Worker::ROOM)?;
        Ok(Self {
            table,
            network,
            tablebases: Arc::default(),
            histories: Arc::new(Histories::new()),
            near: Arc::default(),
            recorder: None,
            turnstile: None,
        })
    }

    fn near(&self, index: usize) -> Option<&Near> {
        self.near.get(index).and_then(Option::as_ref)
    }

    /// The network of worker `index`.
    pub fn network_of(&self, index: usize) -> Option<&Network> {
        let copy = self.near(index).and_then(|near| near.network.as_deref());
        copy.or(self.network.as_deref())
    }

    /// The histories that worker `index` shares: with the workers of its group, or with all.
    pub fn histories_of(&self, index: usize) -> &Histories {
        self.near(index).map_or(&self.histories, |near| &near.histories)
    }

    /// Forgets what the workers have learnt together. Called while none searches.
    pub fn clear_histories(&self) {
        self.histories.clear();
        let near: Vec<_> = self.near.iter().flatten().map(|near| &near.histories).collect();
        for (index, histories) in near.iter().enumerate() {
            if !near[..index].iter().any(|before| Arc::ptr_eq(before, histories)) {
                histories.clear();
            }
        }
    }
}

/// How a search is done, apart from its limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// The number of lines.
    pub multipv: usize,
    /// The iterations that helpers skip.
    pub stagger: Stagger,
    /// Which histories the workers share. Shared and own ones last from search to search.
    pub sharing: Sharing,
    /// How the tablebases are probed.
    pub probing: Probing,
    /// The workers take turns, so that the search can be repeated: the same nodes, lines and move
    /// unless the clock or a stop from outside ends it.
    pub lockstep: bool,
    /// Nodes per turn in lockstep.
    pub quantum: u64,
    /// The accesses to the transposition table that are counted, which takes an eighth of its
    /// memory and some time. Without that memory they are not counted.
    pub census: Counting,
    /// The textbook's search, for comparison: every move is searched to the full depth, the
    /// transposition table only orders moves, and leaves get the static evaluation.
    pub plain: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            multipv: 1,
            stagger: Stagger::default(),
            sharing: Sharing::default(),
            probing: Probing::default(),
            lockstep: false,
            quantum: turnstile::DEFAULT_QUANTUM,
            census: Counting::default(),
            plain: false,
        }
    }
}

/// One search, shared by its workers.
pub struct Run {
    /// The root and its history.
    pub game: Game,
    /// The limits. Workers heed depth, both node limits, mate and root moves, but no clock.
    pub limits: Limits,
    /// How it is searched.
    pub settings: Settings,
    /// The root moves as the tablebases rank them, if they have the root.
    pub ranking: Option<Ranking>,
    /// The number of workers.
    pub workers: usize,
    /// Raised to end the search.
    pub stop: Arc<StopFlag>,
    /// The workers' notes of what they have done so far.
    pub board: Board,
    /// The turns of the workers, in lockstep.
    pub turnstile: Option<Arc<Turnstile>>,
    /// Optionally counts accesses to the table.
    pub census: Option<Census>,
}

impl Run {
    /// A search that nobody has begun, with the usual settings: without tablebases, lockstep and
    /// census.
    pub fn new(game: Game, limits: Limits, workers: usize) -> Self {
        let moves = game.position().legal_moves();
        let choices = moves.into_iter().map(|m| PackedMove::pack(m).to_bits());
        Self {
            game,
            limits,
            settings: Settings::default(),
            ranking: None,
            workers,
            stop: Arc::default(),
            board: Board::new(workers, choices),
            turnstile: None,
            census: None,
        }
    }

    /// Waits for the first turn of worker `index`, if the workers take turns.
    pub fn enter(&self, index: usize) -> Option<Presence<'_>> {
        self.turnstile.as_ref().map(|turnstile| turnstile.enter(index))
    }
}

/// What a worker shares with others, or may share.
#[derive(Copy, Clone)]
pub(super) struct Shared<'a> {
    /// The worker's number: that of the main worker is 0.
    pub index: usize,
    pub run: &'a Run,
    /// Everything selective is off, see [`Settings::plain`].
    pub is_plain: bool,
    pub table: &'a Table,
    /// Counts accesses to the table, if it was asked to.
    pub census: Option<&'a Census>,
    /// The tablebases, if inner nodes probe them.
    pub prober: Option<Prober<'a>>,
    /// What has been learnt about moves.
    pub histories: &'a Histories,
    /// What has been learnt about the evaluation.
    pub correction: Correction<'a>,
    pub observer: Observer<'a>,
}

impl<'a> Shared<'a> {
    /// The census, if it counts accesses to this key.
    #[inline]
    pub fn census_of(&self, key: Key) -> Option<&'a Census> {
        self.census.filter(|census| census.counts(key))
    }

    /// What worker `index` shares, histories included.
    pub fn new(common: &'a Common, run: &'a Run, index: usize) -> Self {
        let (probing, ranking) = (run.settings.probing, run.ranking.as_ref());
        let is_plain = run.settings.plain;
        let prober =
            if is_plain { None } else { Prober::new(&common.tablebases, probing, ranking) };
        Self {
            index,
            run,
            is_plain,
            table: &common.table,
            census: run.census.as_ref(),
            prober,
            histories: common.histories_of(index),
            correction: Correction::of(&common.histories_of(index).errors),
            observer: Observer::new(common.recorder.as_deref(), index),
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::eval::nnue::eval_file::EvalFile;

    #[test]
    fn workers_share_with_those_of_their_node() {
        let nodes = [(); 2].map(|()| Some(Near::new(None)));
        let near = [nodes[0].clone(), nodes[1].clone(), nodes[0].clone(), None];
        let common = Common::new(Arc::new(Table::new(1).unwrap()), None).unwrap();
        let common = Common { near: near.into(), ..common };
        let histories = |index| std::ptr::from_ref(common.histories_of(index));
        assert_eq!(histories(0), histories(2));
        assert_ne!(histories(0), histories(1));
        assert_eq!(histories(3), std::ptr::from_ref(&*common.histories));
        assert_eq!(histories(4), histories(3));
    }

    #[test]
    fn workers_evaluate_with_the_copy_on_their_node() {
        let network = EvalFile::Default.load().unwrap();
        let near = [Some(Near::new(network.as_deref())), None];
        let common = Common::new(Arc::new(Table::new(1).unwrap()), network).unwrap();
        let common = Common { near: near.into(), ..common };
        let address = |network: Option<&Network>| network.map(std::ptr::from_ref);
        let [own, copy] = [common.network.as_deref(), common.near(0).unwrap().network.as_deref()];
        assert_ne!(address(own), address(copy));
        assert_eq!([0, 1].map(|index| address(common.network_of(index))), [copy, own].map(address));
    }
}
