import { withRoles } from './arguments.js';
import { serve } from './server.js';

process.exit(await serve(withRoles(process.env, process.argv.slice(2))));
