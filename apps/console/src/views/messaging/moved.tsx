import { useEffect } from 'preact/hooks';
import { go } from '../../place.js';
import type { ViewProps } from '../../shell/view.js';
import { topicPlace } from './places.js';

/** Where topics were found before the second version of the console. */
export default function Moved({ parameters: { project = '', topic = '' } }: ViewProps) {
  useEffect(() => go(topicPlace(project, topic), true), []);
  return null;
}
