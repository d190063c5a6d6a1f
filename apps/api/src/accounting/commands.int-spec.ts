/** One suite for the command handlers of all features: it loads the application once. Each opens one of its own. */
import './access/access.part-spec.js';
import './ams/ams-commands.part-spec.js';
import './catalogue/commands.part-spec.js';
import './definitions/commands.part-spec.js';
import './projects/commands.part-spec.js';
