import { build } from '#infra/program/build.js';
import { rolesIn } from './arguments.js';
import { serve } from './server.js';

const given = process.argv.slice(2);
if (given.includes('--version')) console.log(`${build.version} ${build.commit}`.trimEnd());
else process.exit(await serve(process.env, { roles: rolesIn(given) }));
