import { serve } from './server.js';

process.exit(await serve(process.env));
