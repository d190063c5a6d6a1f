import { demo } from './demo.js';

/** `npm run demo` */
await demo(process.stdout);
process.exit();
