export { bytes, count, counted, duration, figure } from '#domain/shared/figures.js';
