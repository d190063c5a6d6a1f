/** From the second `at` of the day on, the status holds until the next step. Seconds since 00:00:00 UTC. */
export type Step = Readonly<{ at: number; status: string }>;

/**
 * The statuses of one day, [00:00:00, 24:00:00). The first step is at 0, the others follow in order, neighbours differ. Of today the last step
 * holds up to the moment of the answer; nothing later is in it.
 */
export type Timeline = readonly Step[];

/** Seconds of a whole day. */
export const DAY_SECONDS = 86_400;
