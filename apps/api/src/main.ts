import { build } from '#infra/platform/program/build.js';
import { rolesIn } from './hosting/arguments.js';
import { serve } from './hosting/server.js';
import { endProcess } from './hosting/start/end-process.js';

const given = process.argv.slice(2);
if (given.includes('--version')) console.log(`${build.version} ${build.commit}`.trimEnd());
else await endProcess(await serve(process.env, { roles: rolesIn(given) }));
