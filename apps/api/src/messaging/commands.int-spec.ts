/** One suite for the command handlers of all features: it loads the application once. Each opens one of its own. */
import './accounts/commands.part-spec.js';
import './cursors/commands.part-spec.js';
import './messages/publish-messages.part-spec.js';
import './push/commands.part-spec.js';
import './resources/commands.part-spec.js';
import './resources/subscription-expiry.part-spec.js';
import './traffic/commands.part-spec.js';
