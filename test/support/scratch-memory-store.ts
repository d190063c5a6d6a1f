import type { Position } from '#domain/shared/events.js';
import { type Change, CheckpointConflict, type Namespace, NamespaceGone, type ReadStore, type ReadView } from '#projections/shared/read-store.js';
type Slot = { generation: number; version: number; checkpoint: Position; docs: Map<string, Map<string, string>> };
type P = { served: 'a' | 'b' | null; a?: Slot; b?: Slot; listeners: Set<(c: Position) => void> };
export class Memory implements ReadStore {
  ps = new Map<string, P>(); gen = 0;
  p(n: string): P { let p = this.ps.get(n); if (!p) { p = { served: null, listeners: new Set() }; this.ps.set(n, p); } return p; }
  slot(ns: Namespace): Slot { const s = this.p(ns.projection)[ns.slot]; if (!s || s.generation !== ns.generation) throw new NamespaceGone('gone'); return s; }
  tick() { return new Promise<void>((r) => setImmediate(r)); }
  mk(get: () => Slot | undefined): ReadView {
    const col = (c: string) => get()?.docs.get(c) ?? new Map<string, string>();
    return {
      get: async (c, k) => { await this.tick(); const v = col(c).get(k); return v === undefined ? null : Buffer.from(v); },
      getMany: async (c, ks) => { await this.tick(); return ks.map((k) => { const v = col(c).get(k); return v === undefined ? null : Buffer.from(v); }); },
      range: async (c) => { await this.tick(); return [...col(c)].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, v]) => ({ key, value: Buffer.from(v) })); },
      ranges: async () => [], count: async () => 0,
    };
  }
  view(n: string) { return this.mk(() => { const p = this.p(n); return p.served ? p[p.served] : undefined; }); }
  documents(ns: Namespace) { return this.mk(() => this.slot(ns)); }
  async served(n: string) { await this.tick(); const p = this.p(n); const s = p.served && p[p.served]; return s ? { projection: n, version: s.version, slot: p.served!, generation: s.generation } : null; }
  async prepare(n: string, version: number): Promise<Namespace> { await this.tick(); const p = this.p(n); const slot = p.served === 'a' ? 'b' : 'a'; p[slot] = { generation: ++this.gen, version, checkpoint: 0n, docs: new Map() }; return { projection: n, version, slot, generation: this.gen }; }
  async serve(ns: Namespace) { await this.tick(); const s = this.slot(ns); const p = this.p(ns.projection); const old = p.served && p[p.served]; if (old && old !== s) { if (old.checkpoint > s.checkpoint) throw new CheckpointConflict(ns.projection, s.checkpoint, old.checkpoint); delete p[p.served!]; } p.served = ns.slot; this.tell(p, s.checkpoint); }
  tell(p: P, c: Position) { for (const l of p.listeners) setImmediate(() => p.listeners.has(l) && l(c)); }
  async checkpoint(ns: Namespace) { await this.tick(); return this.slot(ns).checkpoint; }
  async commit(ns: Namespace, changes: readonly Change[], from: Position, to: Position) {
    await this.tick(); const s = this.slot(ns); if (s.checkpoint !== from) throw new CheckpointConflict(ns.projection, from, s.checkpoint);
    for (const c of changes) { let m = s.docs.get(c.collection); if (!m) { m = new Map(); s.docs.set(c.collection, m); } if (c.kind === 'put') m.set(c.key, c.value); else if (c.kind === 'delete') m.delete(c.key); else for (const k of [...m.keys()]) if (k.startsWith(c.prefix)) m.delete(k); }
    s.checkpoint = to; const p = this.p(ns.projection); if (p.served === ns.slot) this.tell(p, to);
  }
  onCommit(n: string, l: (c: Position) => void) { const p = this.p(n); p.listeners.add(l); return () => { p.listeners.delete(l); }; }
  async size(n: string) { const p = this.p(n); const s = p.served && p[p.served]; let documents = 0; if (s) for (const m of s.docs.values()) documents += m.size; return { documents, bytes: null }; }
  async close() {}
}
