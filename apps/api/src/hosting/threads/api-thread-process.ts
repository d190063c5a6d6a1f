import { endProcess } from '#api/hosting/start/end-process.js';
import { runApiThread } from './api-thread.js';

await endProcess(await runApiThread(process));
