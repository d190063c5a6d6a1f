/** `unavailable`: no node pushes. */
export const PUSH_STATES = ['active', 'failing', 'unavailable', 'not verified'] as const;
export type PushStateName = (typeof PUSH_STATES)[number];

/** Whether messages should be pushed and are not: nothing is pushed to an endpoint that is not verified. `null`: they are pulled. */
export const pushFails = (state: PushStateName | null | undefined): boolean => state === 'failing' || state === 'unavailable';
