/** Changes of all services, newest first (console contract 6). */
export default function Changes() {
  return <p>No change is shown yet.</p>;
}
