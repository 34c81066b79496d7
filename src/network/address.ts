/**
 * Where a node listens: `host:port`, with the host in brackets when it is an IPv6 address.
 */
export type Address = { readonly host: string; readonly port: number }

const pattern = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]+)):(\d{1,5})$/
export const greatestPort = 65_535

/** Undefined when the text is no address. */
export const parseAddress = (text: string): Address | undefined => {
  const [, bracketed, plain, digits] = pattern.exec(text) ?? []
  const host = bracketed ?? plain
  const port = Number(digits)
  return host === undefined || port < 1 || port > greatestPort ? undefined : { host, port }
}

export const showAddress = ({ host, port }: Address): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
