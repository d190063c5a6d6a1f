import { readdirSync } from 'node:fs';
import type { Profiler } from 'node:inspector';
import { join, relative } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { fromRoot } from './sources.js';
import { STAGE_RULES } from './stage-rules.js';
import { stageOf, stageTimes } from './stages.js';
import { causesOf, turnFigures } from './turns.js';

const ROOT = join(import.meta.dirname, '..', '..', '..');

const place = (path: string, functionName = 'work') => ({ functionName, path });

const filesIn = (folder: string): readonly string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)));

/** A node of a profile; the path of its file is its URL. */
const node = (id: number, functionName: string, url: string, children: readonly number[] = []): Profiler.ProfileNode => ({
  id,
  callFrame: { functionName, url, scriptId: '1', lineNumber: 0, columnNumber: 0 },
  children: [...children],
});

const PROFILE: Profiler.Profile = {
  startTime: 0,
  endTime: 1_000,
  nodes: [
    node(1, '(root)', '', [2, 3, 4]),
    node(2, '(idle)', ''),
    node(3, '(garbage collector)', ''),
    node(4, 'parse', 'apps/api/src/shared/json/json-reader.ts', [5]),
    node(5, 'slice', 'node:buffer'),
  ],
  samples: [2, 4, 5, 3],
  timeDeltas: [500, 100, 200, 100],
};
const SOURCES = { of: ({ url }: Readonly<{ url: string }>) => url };

describe('stages of a profile', () => {
  it('are those of the innermost code that has one', () => {
    const route = place('apps/api/src/status/dated-records/dated-controller.ts');
    expect(stageOf([place('node:_http_server')])).toBe('HTTP');
    expect(stageOf([place('node:buffer'), place('apps/api/src/shared/bodies/incoming-body.ts'), place('node:net')])).toBe('body in');
    expect(stageOf([place('apps/api/src/status/access.ts'), route])).toBe('access');
    const decider = place('libs/domain/src/status/dated-records/dated-records.ts');
    expect(stageOf([decider, place('libs/infra/src/engine/stream-processor/decide-batch.ts')])).toBe('decide');
    expect(stageOf([decider, route])).toBe('answer');
    expect(
      stageOf([place('libs/infra/src/stores/event-codec/json.ts'), place('libs/infra/src/engine/stream-processor/decide-batch.ts')]),
    ).toBe('codec');
    expect(stageOf([place('node_modules/lmdb/write.js'), place('libs/infra/src/stores/event-store/embedded/appends/writer.ts')])).toBe(
      'append',
    );
    expect(stageOf([place('node_modules/lmdb/write.js')])).toBe('LMDB');
    expect(stageOf([route, place('node:net')])).toBe('answer');
    expect(stageOf([place('libs/domain/src/shared/json/json-size.ts'), place('apps/api/src/shared/json/json-scan.ts')])).toBe('body in');
    expect(stageOf([place('node:timers')])).toBe('other');
    expect(stageOf([place('', 'toString')])).toBe('other');
  });

  it('of stores are those of whoever reads them', () => {
    const documents = place('libs/infra/src/stores/document-store/views/view.ts');
    expect(stageOf([documents, place('libs/infra/src/engine/projection-runner/steps/fold.ts')])).toBe('commit');
    expect(stageOf([documents, place('libs/projections/src/status/dated-records/queries.ts'), place('node:net')])).toBe('answer');
    expect(stageOf([documents, place('libs/projections/src/operations/access-keys/queries.ts')])).toBe('access');
    const events = place('libs/infra/src/stores/event-store/embedded/reads/reading.ts');
    expect(stageOf([events])).toBe('log read');
    expect(stageOf([events, place('libs/infra/src/engine/stream-processor/folded-stream.ts')])).toBe('decide');
    expect(stageOf([place('libs/domain/src/status/dated-records/dated-records.ts'), place('libs/projections/src/shared/layout.ts')])).toBe(
      'project',
    );
  });

  it('leave out the time in which the thread waited, or was measured', () => {
    expect(stageOf([place('', '(garbage collector)'), place('node:net')])).toBe('GC');
    expect(stageOf([place('', '(program)')])).toBe('native');
    expect(stageOf([place('', '(idle)')])).toBeUndefined();
    expect(stageOf([place('', 'dispatch'), place('node:inspector'), place('/x/dist/test/bench/servers/child.js')])).toBeUndefined();
  });

  it('share the time of the thread by what was sampled', () => {
    expect(Object.fromEntries(stageTimes(PROFILE, SOURCES, 80))).toEqual({ 'body in': 60, GC: 20 });
  });

  it('of long turns are those of the samples in them', () => {
    const turns = { millis: [0.5, 0.4, 0.1], long: [[500, 600] as const, [800, 900] as const] };
    const causes = causesOf(PROFILE, SOURCES, turns);
    expect(Object.fromEntries(causes)).toEqual({ 'body in': 100, GC: 100 });
    expect(turnFigures([turns, { millis: [39], long: [[0, 39_000]] }], causes)).toEqual({
      longestMs: 39,
      p999Ms: 39,
      longPerSecond: 75,
      causes,
    });
  });

  it('are found by paths as the maps of sources and packages give them', () => {
    expect(fromRoot('../../libs/domain/src/shared/events.ts')).toBe('libs/domain/src/shared/events.ts');
    expect(fromRoot('/work/logbook/node_modules/lmdb/node_modules/x/y.js')).toBe('node_modules/x/y.js');
  });

  it('have rules for what is there', () => {
    const ours = [...filesIn('apps'), ...filesIn('libs')].filter((file) => !file.endsWith('.spec.ts'));
    const packages = [...readdirSync(join(ROOT, 'node_modules'))].map((name) => `node_modules/${name}/`);
    const known = [...ours, ...packages, 'node:net'];
    expect(STAGE_RULES.filter(({ path }) => !known.some((file) => path.test(file)))).toEqual([]);
  });

  it('name every folder of the infrastructure that works for requests', () => {
    const OF_OTHERS = ['platform', 'edges', 'engine/jobs', 'engine/erasure', 'stores/store-access', 'stores/probing'];
    const floors = readdirSync(join(ROOT, 'libs/infra/src')).filter((name) => !OF_OTHERS.includes(name));
    const folders = floors.flatMap((floor) => readdirSync(join(ROOT, 'libs/infra/src', floor)).map((room) => `${floor}/${room}`));
    const without = folders.filter(
      (name) => !OF_OTHERS.includes(name) && !STAGE_RULES.some(({ path }) => path.test(`libs/infra/src/${name}/file.ts`)),
    );
    expect(without).toEqual([]);
  });
});
