//! Alias scopes: arrays that do not overlap (known before, or tested at run time) say so on each access of the new
//! code.

use crate::bridge::ir::{Ir, Meta, Val};
use crate::ids::ArrayId;
use crate::model::Scop;

/// Scopes of the arrays in memory; all of them are disjoint from each other where the new code runs.
pub struct Disjoint<'f> {
    /// By `ArrayId`: own scope as a list, all other scopes as a list.
    scopes: Vec<Option<(Meta<'f>, Meta<'f>)>>,
}

impl<'f> Disjoint<'f> {
    /// Fresh scopes; none if there is only one array.
    pub fn new(ir: &Ir<'f>, scop: &Scop) -> Self {
        let in_memory: Vec<bool> = scop.arrays.iter().map(|a| a.is_memory()).collect();
        if in_memory.iter().filter(|m| **m).count() < 2 {
            return Self { scopes: vec![None; scop.arrays.len()] };
        }
        let domain = ir.alias_domain();
        let own: Vec<Option<Meta<'f>>> = in_memory.iter().map(|m| m.then(|| ir.alias_scope(domain))).collect();
        let lists = |k: usize, scope: Meta<'f>| {
            let others: Vec<Meta<'f>> =
                own.iter().enumerate().filter(|(j, _)| *j != k).filter_map(|(_, s)| *s).collect();
            (ir.node(&[scope]), ir.node(&others))
        };
        Self { scopes: own.iter().enumerate().map(|(k, s)| s.map(|s| lists(k, s))).collect() }
    }

    /// Says that the scopes hold for each execution of the new code on its own; needed where it lies in a loop.
    pub fn declare(&self, ir: &Ir<'f>) {
        self.scopes.iter().flatten().for_each(|(own, _)| ir.declare_scope(*own));
    }

    /// Marks a copied load or store.
    pub fn annotate(&self, ir: &Ir<'f>, access: Val<'f>, array: Option<ArrayId>, group: Option<Meta<'f>>) {
        let lists = array.and_then(|a| self.scopes[a.index()]);
        ir.annotate_access(access, group, lists.map(|l| l.0), lists.map(|l| l.1));
    }
}
