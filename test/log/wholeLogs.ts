/**
 * Loaded before specs by `npm run test:logs`: says which servers are tested, and gives the specs of the logs all the time
 * they need.
 */
process.env['CARILLON_TEST_WHOLE'] = '1'

export const mochaHooks = {
  async beforeAll(): Promise<void> {
    // Only now, when the hooks of the whole run can be defined.
    const { describeServers } = await import('./describeServers.js')
    console.log(`\n${await describeServers()}`)
  },
}
