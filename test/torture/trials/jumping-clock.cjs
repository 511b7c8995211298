// Loaded before the program: the day's clock jumps forwards and backwards, by seconds and by years, as clocks that are set do.
let seed = Number(process.env.CLOCK_SEED ?? 1);
const jumps = [0, 0, 0, 1_500, -1_500, 3_600_000, -3_600_000, 31_536_000_000, -31_536_000_000];
const RealDate = Date;
const real = RealDate.now;
let ahead = 0;
RealDate.now = () => {
  seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
  if (seed % 5 === 0) ahead = jumps[(seed >>> 8) % jumps.length];
  return real() + ahead;
};
globalThis.Date = new Proxy(RealDate, {
  construct: (Target, given, self) => Reflect.construct(Target, given.length === 0 ? [RealDate.now()] : given, self),
});
