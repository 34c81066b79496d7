/**
 * `carillon/calendars`: local dates and times, time zones, business calendars, tenors and periods.
 */

// Time
export { toDateTime } from '../time/Instant.js'
export {
  localDate,
  LocalDateC,
  localTime,
  LocalTimeC,
  timeOfDay,
  TimeOfDayC,
  type LocalDate,
  type LocalDateBrand,
  type LocalTime,
  type LocalTimeBrand,
  type TimeOfDay,
  type TimeOfDayBrand,
} from '../time/LocalTime.js'
export { addDays, addMonths, daysBetween, endOfMonth, isEndOfMonth } from '../time/dates.js'
export { instantIn } from '../time/instantIn.js'
export { zone, ZoneC, type Zone, type ZoneBrand } from '../time/Zone.js'
export { zoneDataVersion } from '../time/zoneDataVersion.js'

// Business calendars
export {
  addBusinessDays,
  BusinessCalendarC,
  CentreC,
  isBusinessDay,
  RollC,
  rollDate,
  unionOf,
  type BusinessCalendar,
  type Centre,
  type Roll,
} from '../time/calendars/BusinessCalendar.js'
export { addPeriods, FrequencyC, type Frequency } from '../time/calendars/Frequency.js'
export { addTenor, maturityOf, tenor, TenorC, type Tenor, type TenorBrand } from '../time/calendars/Tenor.js'
export { periodsBetween, StubC, type Period, type PeriodsOptions, type Stub } from '../time/calendars/periods.js'
export { holidayDataVersion } from '../time/calendars/holidays.js'
