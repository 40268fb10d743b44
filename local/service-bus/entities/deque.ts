/** First in, first out, without the linear cost of `Array.shift` on a long array. */
export class Deque<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get size(): number {
    return this.#items.length - this.#head;
  }

  peek(): T | undefined {
    return this.#items[this.#head];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.#head >= this.#items.length) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head++;
    if (this.#head > 1024 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** Keeps only some of the items. Linear, so call it once per as many removals as there are items. */
  keep(wanted: (item: T) => boolean): void {
    this.#items = this.#items.slice(this.#head).filter((item) => item !== undefined && wanted(item));
    this.#head = 0;
  }
}
