import { Inject, Injectable } from '@nestjs/common';
import { PastApplication } from '#api/as-of/past-application.js';
import { readThen } from '#api/audit/as-of.js';
import type { OpsCall } from '#api/ops-kit/parameters.js';
import { Problem } from '#api/ops-kit/problem.js';
import { READ_STORE } from '#api/shared/tokens.js';
import { resultsOver } from '#api/status/results-engine/reader-parts.js';
import type { LogMoment } from '#domain/operations/moments.js';
import { DomainError } from '#domain/shared/decider.js';
import type { ReadStore } from '#projections/shared/read-store.js';
import { RESULTS, type Results } from '#projections/status/results/report-reader.js';

/** `moment`: the last included event, `null` before the first one; `undefined` for the present. */
type Sources = Readonly<{ store: ReadStore; results: Results; moment?: LogMoment | null }>;

/** Results as of now, or, for auditors, as of the moment in the call's header. */
@Injectable()
export class ResultsThen {
  constructor(
    private readonly past: PastApplication,
    @Inject(READ_STORE) private readonly store: ReadStore,
    @Inject(RESULTS) private readonly results: Results,
  ) {}

  /** A read as of a moment is recorded. @throws Problem */
  async read<Answer extends object>(call: OpsCall, read: (sources: Sources) => Promise<Answer>): Promise<Answer> {
    try {
      const then = await readThen(this.past, call, (store, { moment, clock }) =>
        read({ store, results: resultsOver(store, () => clock), moment }),
      );
      return then === 'of now' ? await read({ store: this.store, results: this.results }) : then;
    } catch (error) {
      if (error instanceof DomainError && error.code === 'OVER_LIMIT') throw new Problem(413, String(error.details.text));
      throw error;
    }
  }
}

/** Returns whether a text can be the id of a tenant, including migrated ones. */
export const isTenantId = (text: string): boolean => /^[\w-]{1,64}$/.test(text);

/** The moment in answers. */
export const momentShown = (moment: LogMoment | null | undefined) =>
  moment ? { position: `${moment.position}`, time: moment.time } : null;
