import { useState } from 'preact/hooks';
import { get, send } from '../../api/client.js';
import type { AnswerOf, PostAnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { Button } from '../../parts/button.js';
import { Confirm } from '../../parts/confirm.js';
import { List } from '../../parts/loading.js';
import type { Acting } from '../../parts/outcome.js';
import { Time } from '../../parts/time.js';

/** The keys that sign anchors. */
export const SigningKeys = ({ acting }: Readonly<{ acting: Acting }>) => {
  const [asked, setAsked] = useState(false);
  const keys = useData((signal) => get<AnswerOf<'/audit/keys'>>('/audit/keys', {}, { signal }), []);
  return (
    <section>
      <h2>Signing keys</h2>
      <div class="buttons">
        <Button text="New signing key" onClick={() => setAsked(true)} />
      </div>
      <List
        of={keys}
        rows={(set) => set.keys}
        caption="Signing keys"
        keyOf={({ kid }) => kid}
        empty="There is none yet: the first one comes with the first anchor."
        columns={[
          { name: 'Id', show: ({ kid }) => <code>{kid}</code> },
          { name: 'Since', show: ({ since }) => <Time at={since} /> },
          { name: 'Until', show: ({ until }) => (until ? <Time at={until} /> : 'in use') },
        ]}
      />
      {asked && (
        <Confirm
          title="Sign with a new key?"
          action="Use a new key"
          act={async () => {
            const { keyId } = await send<PostAnswerOf<'/ops/signing-keys'>>('POST', '/ops/signing-keys', {});
            acting.say(`Anchors are signed with the key ${keyId} from now on.`);
            keys.again();
          }}
          onClose={() => setAsked(false)}
        >
          <p>The key of now signs a last anchor first, if this node has it. It stays known, so that its anchors can be checked.</p>
        </Confirm>
      )}
    </section>
  );
};
