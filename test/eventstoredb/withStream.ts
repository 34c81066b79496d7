/**
 * The address of another stream on the same server. The URL class knows no list of hosts, so this is done by hand.
 */
export const withStream = (url: string, stream: string): string => {
  const bare = url.replace(/([?&])stream=[^&]*&?/, '$1').replace(/[?&]$/, '')
  return `${bare}${bare.includes('?') ? '&' : '?'}stream=${stream}`
}
