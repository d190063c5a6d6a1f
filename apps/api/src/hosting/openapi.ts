import 'reflect-metadata';
import { createDocument } from './openapi-document.js';

/** Runs in the build: prints the content of `/openapi.json`. */
process.stdout.write(JSON.stringify(await createDocument()));
