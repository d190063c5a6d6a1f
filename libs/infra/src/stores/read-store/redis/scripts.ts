import { CLEAR, COMMIT, FINISH, PREPARE, SERVE, STAGE } from '#infra/stores/read-store/redis/commits/commit-scripts.js';
import { COUNT, GET, GET_MANY, HOLD, LENGTHS, RANGES } from './read-scripts.js';
import type { Script } from './script.js';

/** All scripts, for loading. */
export const SCRIPTS: readonly Script[] = [GET, GET_MANY, RANGES, LENGTHS, COUNT, HOLD, PREPARE, CLEAR, SERVE, STAGE, COMMIT, FINISH];
