import { build } from '#infra/platform/program/build.js';
import { argumentsIn, HELP } from './hosting/arguments.js';
import { serve } from './hosting/server.js';
import { endProcess } from './hosting/start/end-process.js';

const asked = argumentsIn(process.argv.slice(2));
switch (asked.ask) {
  case 'help':
    process.stdout.write(HELP);
    break;
  case 'version':
    console.log(`${build.version} ${build.commit}`.trimEnd());
    break;
  case 'refused':
    process.stderr.write(`unknown argument ${JSON.stringify(asked.argument)} (try --help)\n`);
    process.exitCode = 2;
    break;
  case 'serve':
    await endProcess(await serve(process.env, { roles: asked.roles }));
}
