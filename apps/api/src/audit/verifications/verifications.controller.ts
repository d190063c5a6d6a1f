import { createHash, randomUUID } from 'node:crypto';
import { Inject } from '@nestjs/common';
import { type JobLink, jobCollection } from '#api/ops-kit/job-collection.js';
import { Call, type OpsCall } from '#api/ops-kit/parameters.js';
import { Problem } from '#api/ops-kit/problem.js';
import { AUDITOR, OpsController, Post } from '#api/ops-kit/route.js';
import { StrictBody } from '#api/ops-kit/strict-input.js';
import { listOf, match, membersOf, optional, whole } from '#api/ops-kit/strict-members.js';
import { EVENT_STORE } from '#api/shared/tokens.js';
import type { EventStore } from '#domain/shared/event-store.js';
import { Integrity } from '#infra/engine/integrity/integrity.js';
import { LOG_VERIFICATION } from '#infra/engine/integrity/verification/verification-kind.js';
import { TooManyJobs } from '#infra/engine/jobs/job.js';
import { Jobs } from '#infra/engine/jobs/jobs.js';
import { IdempotencyKeyReused } from '#infra/engine/stream-processor/execution.js';
import { ACCEPTED, VERIFICATION, VERIFICATIONS } from './documentation.js';

/** Enough for one anchor a day over years, or one an hour over weeks. */
const MAX_ANCHORS = 1_000;

class KeptAnchorBody extends membersOf({
  size: whole(0, Number.MAX_SAFE_INTEGER, { description: 'size of an anchor', example: 10_000 }),
  root: match(/^[0-9a-f]{64}$/, 'be 64 lower-case hexadecimal digits', {
    description: 'the root that it had',
    example: '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  }),
}) {}

class VerificationBody extends membersOf({
  from: optional(
    whole(0, Number.MAX_SAFE_INTEGER, { description: 'size of an anchor; what stands before it is not read. Default: 0', example: 0 }),
  ),
  anchors: optional(listOf(KeptAnchorBody, MAX_ANCHORS, { description: 'what the auditor has kept' })),
}) {}

/** Maximum number of running verifications, each of which reads the whole log. */
const MOST_UNDER_WAY = 16;
/** The same for one key. */
const MOST_OF_KEY = 4;

const PATH = '/audit/verifications';

/** Verifications of the log as jobs (operations contract 3). */
@OpsController('', 'audit')
export class VerificationsController extends jobCollection({
  kind: LOG_VERIFICATION,
  path: PATH,
  noun: 'verification',
  list: {
    id: 'listLogVerifications',
    summary: 'Verifications of the last seven days, the newest first, 100 at most',
    answers: { 200: VERIFICATIONS },
  },
  show: {
    id: 'getLogVerification',
    summary: 'One verification: how far it is, and the first problem in log order',
    answers: { 200: VERIFICATION },
  },
  cancel: {
    id: 'cancelLogVerification',
    summary: 'Cancels a verification',
    who: AUDITOR,
    answers: { 202: ACCEPTED },
  },
}) {
  constructor(
    jobs: Jobs,
    private readonly integrity: Integrity,
    @Inject(EVENT_STORE) private readonly events: EventStore,
  ) {
    super(jobs);
  }

  @Post(PATH, {
    id: 'verifyLog',
    summary: 'Reads every event and compares leaves, roots and signatures',
    who: AUDITOR,
    limit: 'record',
    answers: { 202: ACCEPTED },
  })
  async begin(@Call() call: OpsCall, @StrictBody(VerificationBody) { from = 0, anchors = [] }: VerificationBody): Promise<JobLink> {
    this.checkAnchors(from, anchors);
    const { idempotency } = call.context;
    const asked = { from, anchors: anchors.map(({ size, root }) => ({ size, root })) };
    const id = idempotency ? idOf(idempotency.key) : randomUUID();
    const total = Math.max(0, this.integrity.chain.size - from);
    const most = { most: MOST_UNDER_WAY, owner: call.request.sharedBy, mostOfOwner: MOST_OF_KEY };
    const job = await this.jobs.begin(LOG_VERIFICATION, id, { ...asked, total }, most).catch((error: unknown) => {
      throw error instanceof TooManyJobs ? new Problem(503, 'too many verifications are under way, try again later') : error;
    });
    if (JSON.stringify({ from: job.input.from, anchors: job.input.anchors }) !== JSON.stringify(asked)) {
      throw new IdempotencyKeyReused(id);
    }
    return this.accepted(call, id, await this.events.end());
  }

  /** @throws Problem 400 */
  private checkAnchors(from: number, anchors: readonly KeptAnchorBody[]): void {
    const errors = anchors.flatMap(({ size }, place) =>
      size < from ? [{ member: `anchors[${place}].size`, detail: 'must not be below `from`: what stands there is not read' }] : [],
    );
    if (from > 0 && !this.integrity.chain.anchors.at(from)) {
      errors.unshift({ member: 'from', detail: 'must be 0 or the size of an anchor' });
    }
    if (errors.length > 0) throw new Problem(400, 'the request is not valid', errors);
  }
}

/** Derives the job's id from the key: a UUID (version 8 of RFC 9562, whose bits are free). */
const idOf = (key: string): string => {
  const hash = createHash('sha256').update(`verification ${key}`).digest('hex');
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-a${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
};
