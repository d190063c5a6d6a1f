/** One suite for the command handlers of all features: it loads the application once. Each opens one of its own. */
import './day-lists/commands.part-spec.js';
import './metric-data/commands.part-spec.js';
import './metric-source/metric-recorder.part-spec.js';
import './recomputations/commands.part-spec.js';
import './tenants/commands.part-spec.js';
