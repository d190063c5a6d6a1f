import { Injectable } from '@nestjs/common';
import type { OpsCall } from '#api/ops-kit/parameters.js';
import { untilGone } from '#api/shared/http/connections/until-gone.js';
import { Turnstile } from '#infra/platform/scheduling/turnstile.js';

/** Searches by name: one of a key at a time, because each may need seconds of the event loop, in slices that delay those of everybody. */
@Injectable()
export class SearchTurns {
  private readonly turns = new Turnstile(1);

  /** Finds nothing if the client goes while the search waits. `gone`: the search ends early, because nobody waits for it. */
  find<Found>({ request, reply }: OpsCall, search: (gone: AbortSignal) => Promise<readonly Found[]>): Promise<readonly Found[]> {
    const gone = untilGone(reply);
    return this.turns.within(request.sharedBy, async () => (gone.aborted ? [] : search(gone)));
  }
}
