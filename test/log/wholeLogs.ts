/**
 * Loaded before specs by `npm run test:logs`: the specs of the logs take all the time they need.
 */
process.env['CARILLON_TEST_WHOLE'] = '1'
