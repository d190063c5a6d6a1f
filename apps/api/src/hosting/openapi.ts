import 'reflect-metadata';
import { createDocument } from './openapi-document.js';

/** Run when a build is made: prints what `/openapi.json` answers. */
process.stdout.write(JSON.stringify(await createDocument()));
