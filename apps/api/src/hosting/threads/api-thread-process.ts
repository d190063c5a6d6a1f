import { runApiThread } from './api-thread.js';

process.exit(await runApiThread(process));
