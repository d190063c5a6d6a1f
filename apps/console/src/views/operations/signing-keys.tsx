import { useState } from 'preact/hooks';
import { get, send } from '../../api/client.js';
import type { AnswerOf, PostAnswerOf } from '../../api/types.js';
import { useData } from '../../api/use-data.js';
import { Confirm } from '../../parts/confirm.js';
import { Loading } from '../../parts/loading.js';
import type { Acting } from '../../parts/outcome.js';
import { Table } from '../../parts/table.js';
import { Time } from '../../parts/time.js';

/** The keys that sign anchors. */
export const SigningKeys = ({ acting }: Readonly<{ acting: Acting }>) => {
  const [asked, setAsked] = useState(false);
  const keys = useData((signal) => get<AnswerOf<'/audit/keys'>>('/audit/keys', {}, { signal }), []);
  return (
    <section>
      <h2>Signing keys</h2>
      <div class="buttons">
        <button type="button" onClick={() => setAsked(true)}>
          New signing key
        </button>
      </div>
      <Loading of={keys}>
        {(set) => (
          <Table
            caption="Signing keys"
            rows={set.keys}
            keyOf={({ kid }) => kid}
            empty="There is none yet: the first one comes with the first anchor."
            columns={[
              { name: 'Id', show: ({ kid }) => <code>{kid}</code> },
              { name: 'Since', show: ({ since }) => <Time at={since} /> },
              { name: 'Until', show: ({ until }) => (until ? <Time at={until} /> : 'in use') },
            ]}
          />
        )}
      </Loading>
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
          <p>The key of now signs a last anchor first. It stays known, so that its anchors can be checked.</p>
        </Confirm>
      )}
    </section>
  );
};
