/**
 * A callback that does not return before it is told to: for specs about what happens meanwhile.
 */
export class Held<A> {
  #release: (value: A) => void = () => undefined
  readonly promise = new Promise<A>((resolve) => {
    this.#release = resolve
  })

  release(value: A): void {
    this.#release(value)
  }
}
