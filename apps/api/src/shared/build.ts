export { build, builtFile } from '#infra/platform/program/build.js';
