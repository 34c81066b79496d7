/** The rooms that are changed, in groups that get the same number of changes. */
export const groups: Readonly<Record<string, readonly RegExp[]>> = {
  deciding: [/^src\/(ledger|vault|flow|finality|agenda|operator|app|engine)\//],
  storing: [/^src\/storage\//],
  session: [/^src\/(session|transport)\//],
  notary: [/^src\/notary\//],
  lease: [/^src\/standby\//, /^src\/engine\/LeaseKeeper\.ts$/],
  log: [/^src\/(log|logs|history)\//],
  time: [/^src\/time\//],
  access: [/^src\/(identity|keys)\//, /^src\/http\/(Authenticator|HttpGuard|SocketGuard|TokenText)\.ts$/],
}

/** Those whose changes the histories alone must find, for the most part. */
export const decidingAndStoring: readonly string[] = ['deciding', 'storing']

/** The group of a file; undefined for one that is not changed. */
export const groupOf = (file: string): string | undefined => {
  const own = Object.entries(groups).filter(([, places]) => places.some((place) => place.test(file)))
  // A file that is named by itself belongs where it is named.
  return own.at(-1)?.[0]
}
