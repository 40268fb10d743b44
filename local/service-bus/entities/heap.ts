/** A binary heap: the item with the smallest key is always at hand, whatever the order of arrival. */
export class Heap<T> {
  #items: T[] = [];
  readonly #key: (item: T) => number;

  constructor(key: (item: T) => number) {
    this.#key = key;
  }

  get size(): number {
    return this.#items.length;
  }

  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    this.#items.push(item);
    this.#rise(this.#items.length - 1);
  }

  pop(): T | undefined {
    const first = this.#items[0];
    const last = this.#items.pop();
    if (last !== undefined && this.#items.length > 0) {
      this.#items[0] = last;
      this.#sink(0);
    }
    return first;
  }

  /** Keeps only some of the items. Linear, so call it once per as many removals as there are items. */
  keep(wanted: (item: T) => boolean): void {
    this.#items = this.#items.filter(wanted);
    for (let index = (this.#items.length >> 1) - 1; index >= 0; index--) this.#sink(index);
  }

  #keyAt(index: number): number {
    const item = this.#items[index];
    return item === undefined ? Infinity : this.#key(item);
  }

  #swap(a: number, b: number): void {
    const items = this.#items;
    [items[a], items[b]] = [items[b]!, items[a]!];
  }

  #rise(start: number): void {
    let index = start;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (this.#keyAt(parent) <= this.#keyAt(index)) return;
      this.#swap(parent, index);
      index = parent;
    }
  }

  #sink(start: number): void {
    let index = start;
    for (;;) {
      const left = 2 * index + 1;
      const child = this.#keyAt(left + 1) < this.#keyAt(left) ? left + 1 : left;
      if (child >= this.#items.length || this.#keyAt(index) <= this.#keyAt(child)) return;
      this.#swap(child, index);
      index = child;
    }
  }
}
