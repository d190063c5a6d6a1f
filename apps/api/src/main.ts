import { InvalidConfiguration, loadConfiguration } from '#infra/config/configuration.js';
import { serve } from './server.js';

try {
  await serve(loadConfiguration(process.env));
  process.exit(0);
} catch (error) {
  console.error(error instanceof InvalidConfiguration ? error.message : error);
  process.exit(1);
}
