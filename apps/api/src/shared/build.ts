export { build } from '#infra/program/build.js';
