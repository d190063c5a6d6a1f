import { Problem } from '#api/ops-kit/problem.js';
import { readQuery } from '#api/ops-kit/strict-input.js';
import { WrongUsage } from './command-failed.js';

/*
 * Parts of the server with which commands work on stores. They load its frameworks, which takes longer than most commands: only `either` imports this file,
 * where no server runs.
 */
export { EventQuery } from '#api/audit/events/event-query.js';
export { eventRequest, nextPosition } from '#api/audit/events/event-requests.js';
export { AnchorQuery, AnchorsController } from '#api/audit/integrity/anchors.controller.js';
export { ProofQuery, ProofsController } from '#api/audit/integrity/proofs.controller.js';
export { eraseRecord, NoSuchRecord } from '#api/operations/erasures/commands.js';
export { ErasureProgress, erasureView } from '#api/operations/erasures/erasure-progress.js';
export { NotToResume, PartitionOperator } from '#api/operations/projections/partition-operator.js';
export { ProjectionBusy, ProjectionJobs, underWay } from '#api/operations/projections/projection-jobs.js';
export { openRuntime } from '#api/runtime/runtime.js';

/** Converts options of a command to the parameters of the corresponding HTTP call. @throws WrongUsage that names every invalid one */
export const queryIn = <T extends object>(type: new () => T, options: Readonly<Record<string, unknown>>): T => {
  try {
    return readQuery(type, options);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    throw new WrongUsage(`error: ${(error.errors ?? []).map(({ member, detail }) => `--${member} ${detail}`).join('; ')}`);
  }
};
