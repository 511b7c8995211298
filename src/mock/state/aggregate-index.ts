/** Finds the latest event of an aggregate: 4 bytes a place, since a million users have a million aggregates. */
export interface AggregateIndex {
  /** Number of the latest event, or undefined when the aggregate has none. */
  latest(aggregateId: string): number | undefined;
  /** Makes `event` the latest. */
  set(aggregateId: string, event: number): void;
}

/** `idOf` tells the aggregate of an event that was given before. */
export function createAggregateIndex(idOf: (event: number) => string): AggregateIndex {
  let places = new Uint32Array(1024); // number of an event, plus 1; 0 is free
  let taken = 0;
  const placeOf = (id: string): number => {
    const mask = places.length - 1;
    for (let place = hashOf(id) & mask; ; place = (place + 1) & mask) {
      const event = places[place] as number;
      if (event === 0 || idOf(event - 1) === id) return place;
    }
  };
  const grow = (): void => {
    const old = places;
    places = new Uint32Array(old.length * 2);
    for (const event of old) if (event !== 0) places[placeOf(idOf(event - 1))] = event;
  };
  return {
    latest(id) {
      const event = places[placeOf(id)] as number;
      return event === 0 ? undefined : event - 1;
    },
    set(id, event) {
      if (taken * 2 >= places.length) grow();
      const place = placeOf(id);
      if (places[place] === 0) taken += 1;
      places[place] = event + 1;
    },
  };
}

/** FNV-1a over the code units. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return (hash ^ (hash >>> 15)) >>> 0;
}
