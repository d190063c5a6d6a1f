export { build, builtFile } from '#infra/program/build.js';
