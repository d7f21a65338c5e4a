// SPDX-License-Identifier: BSD-3-Clause
#include "hoist/flow_manager.hpp"

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <deque>
#include <mutex>
#include <semaphore>
#include <thread>

#include "install/engine.hpp"
#include "install/latency.hpp"
#include "install/request_ring.hpp"

namespace hoist::offload {
namespace {

constexpr unsigned kRingSize = 1024;
constexpr int kRequestsATurn = 64;
/// The offload thread looks for due retries this often when nobody asks for anything.
constexpr std::chrono::milliseconds kIdle{20};
/// Rule changes that no NIC can be concerned with are handed over this many at a time.
constexpr std::size_t kKeptMax = 4096;
/// A rule that the NIC does not give back holds up a barrier for so many turns, then no longer.
constexpr int kPatience = 50;

class Manager final : public FlowManager {
 public:
  Manager(const Config& config, ResumeTable& resume_table, std::function<std::uint64_t()> now_ms)
      : is_enabled_(config.is_enabled),
        engine_(std::make_unique<Engine>(config, resume_table, hits_, std::move(now_ms))) {
    if (!config.has_thread) return;
    thread_ = std::thread([this] { loop(); });
    if (!config.cores.empty()) pin(config.cores);
  }
  ~Manager() override {
    if (!thread_.joinable()) return;
    stops_.store(true, std::memory_order_relaxed);
    wake_.release();
    thread_.join();
  }
  Manager(const Manager&) = delete;
  Manager& operator=(const Manager&) = delete;

  Sequence attach_port(BridgeId bridge, const PortStatus& port) override {
    return reshaped_ = ask(AttachPort{bridge, port});
  }
  Sequence detach_port(BridgeId bridge, PortNo number) override {
    return reshaped_ = ask(DetachPort{bridge, number});
  }
  Sequence submit(BridgeId bridge, std::span<const RuleChange> changes) override {
    if (is_out_of_play()) return keep(bridge, changes);
    change_count_ += changes.size();
    return ask(UpdateRules{bridge, {changes.begin(), changes.end()}});
  }
  Sequence submit_meters(BridgeId bridge, std::span<const MeterChange> changes) override {
    return ask(UpdateMeters{bridge, {changes.begin(), changes.end()}});
  }
  Sequence refresh_counters() override {
    return is_out_of_play() ? asked_ : ask(RefreshCounters{});
  }
  Sequence set_enabled(bool is_enabled) override {
    is_enabled_ = is_enabled;
    return reshaped_ = ask(SetEnabled{is_enabled});
  }
  Sequence set_port_enabled(BridgeId bridge, PortNo number, bool is_enabled) override {
    return reshaped_ = ask(SetPortEnabled{bridge, number, is_enabled});
  }
  [[nodiscard]] bool is_enabled() const override { return is_enabled_; }
  [[nodiscard]] bool is_settled(Sequence sequence) const override {
    // Acquire: pairs with the release in run_once(), so that what was counted is there for
    // collect().
    return settled_.load(std::memory_order_acquire) >= sequence || is_out_of_play();
  }
  void collect(const std::function<void(const RuleHit&)>& visit) override { hits_.take(visit); }
  [[nodiscard]] bool wants_hits() const override {
    return has_waiting_.load(std::memory_order_relaxed);
  }
  void observe(std::vector<RuleHit> hits) override { ask(Observe{std::move(hits)}); }
  void collect_meters(const std::function<void(const MeterHit&)>& visit) override {
    hits_.take_meters(visit);
  }
  void describe(std::vector<RuleId> rules,
                std::function<void(std::vector<Placement>)> done) override {
    find_out([rules = std::move(rules)](Engine& engine) { return engine.describe(rules); },
             std::move(done));
  }
  void explain(std::vector<RuleId> rules,
               std::function<void(std::vector<Explanation>)> done) override {
    find_out([rules = std::move(rules)](Engine& engine) { return engine.explain(rules); },
             std::move(done));
  }
  void describe_nics(std::function<void(std::vector<NicReport>)> done) override {
    find_out([](Engine& engine) { return engine.describe_nics(); }, std::move(done));
  }
  void verify(bool repairs, std::function<void(std::vector<DriftReport>)> done) override {
    find_out([repairs](Engine& engine) { return engine.verify(repairs); }, std::move(done));
  }
  [[nodiscard]] OffloadStats stats() const override {
    const std::lock_guard guard(answers_mutex_);
    OffloadStats out = latency_.summary();
    out.enqueued_count = change_count_ - done_change_count_;
    out.inserted_count = inserted_count_;
    return out;
  }
  void poll() override {
    hand_over_kept();
    flush();
    std::deque<Answer> answers;
    {
      const std::lock_guard guard(answers_mutex_);
      answers.swap(answers_);
    }
    for (const Answer& answer : answers) answer();
  }
  void run_once() override {
    hand_over_kept();
    flush();
    turn();
  }

 private:
  /// Control thread. Offload is off, or no port takes rules, and nothing on its way can change
  /// that: what control asks for is true at once, without a word with the offload thread.
  [[nodiscard]] bool is_out_of_play() const {
    // Acquire: pairs with the release in settle(), so that the flag is as of that request.
    return settled_.load(std::memory_order_acquire) >= reshaped_ &&
           !may_hold_rules_.load(std::memory_order_relaxed);
  }

  /// Has `question` answered by the offload thread, and `done` called with it by poll().
  template <class Find, class Done>
  void find_out(Find question, Done done) {
    ask(Question{[question = std::move(question), done = std::move(done)](Engine& engine) {
      return [answer = question(engine), done]() mutable { done(std::move(answer)); };
    }});
  }
  template <class What>
  Sequence ask(What what) {
    hand_over_kept();
    overflow_.push_back(std::make_unique<Request>(
        Request{++asked_, std::move(what), std::chrono::steady_clock::now()}));
    flush();
    return asked_;
  }
  /// Control thread. Changes gather here while no NIC is concerned, so that one costs no allocation
  /// and wakes nobody; steps run together, which nobody can see.
  Sequence keep(BridgeId bridge, std::span<const RuleChange> changes) {
    if (kept_ && std::get<UpdateRules>(kept_->what).bridge != bridge) hand_over_kept();
    if (!kept_) kept_ = std::make_unique<Request>(Request{0, UpdateRules{bridge, {}}, {}});
    std::vector<RuleChange>& gathered = std::get<UpdateRules>(kept_->what).changes;
    gathered.insert(gathered.end(), changes.begin(), changes.end());
    kept_->sequence = ++asked_;
    if (gathered.size() >= kKeptMax) {
      hand_over_kept();
      flush();
    }
    return asked_;
  }
  void hand_over_kept() {
    if (kept_) overflow_.push_back(std::move(kept_));
  }
  /// Control thread. What the ring does not take waits here: order is kept, and nobody is held up.
  void flush() {
    bool has_pushed = false;
    while (!overflow_.empty() && requests_.push(overflow_.front())) {
      overflow_.pop_front();
      has_pushed = true;
    }
    if (has_pushed && thread_.joinable()) wake_.release();
  }

  void loop() {
    pthread_setname_np(pthread_self(), "offload");
    while (!stops_.load(std::memory_order_relaxed)) {
      if (!turn()) static_cast<void>(wake_.try_acquire_for(kIdle));
    }
    engine_.reset();  // on this thread: it alone calls rte_flow
  }

  /// Offload thread. Whether there was anything to do.
  bool turn() {
    bool was_busy = false;
    for (int i = 0; i < kRequestsATurn && unsettled_ == 0; ++i) {
      auto request = requests_.pop();
      if (request == nullptr) break;
      was_busy = true;
      engine_->drop_lost();
      std::visit([this](auto& what) { serve(what); }, request->what);
      unsettled_ = request->sequence;
      note(*request);
      settle();
    }
    engine_->drop_lost();
    engine_->tick();
    has_waiting_.store(engine_->has_waiting(), std::memory_order_relaxed);
    if (unsettled_ != 0) settle();
    return was_busy;
  }
  void settle() {
    if (!engine_->is_clean() && ++waited_ < kPatience) return;
    waited_ = 0;
    // Relaxed: the release of settled_ publishes it.
    may_hold_rules_.store(engine_->may_hold_rules(), std::memory_order_relaxed);
    settled_.store(std::exchange(unsettled_, 0), std::memory_order_release);
  }

  /// Offload thread. How long a change that a NIC may be concerned with took.
  void note(const Request& request) {
    const auto* update = std::get_if<UpdateRules>(&request.what);
    const bool is_timed = update != nullptr && request.asked_at.time_since_epoch().count() != 0;
    const std::lock_guard guard(answers_mutex_);
    inserted_count_ = engine_->installed_count();
    if (!is_timed) return;
    done_change_count_ += update->changes.size();
    latency_.add(std::chrono::steady_clock::now() - request.asked_at);
  }

  void serve(AttachPort& what) { engine_->attach(what); }
  void serve(DetachPort& what) { engine_->detach(what); }
  void serve(UpdateRules& what) { engine_->update(what); }
  void serve(Observe& what) { engine_->observe(what.hits); }
  void serve(UpdateMeters& what) { engine_->update_meters(what); }
  void serve(RefreshCounters&) { engine_->refresh(); }
  void serve(SetEnabled& what) { engine_->set_enabled(what.is_enabled); }
  void serve(SetPortEnabled& what) { engine_->set_port_enabled(what); }
  void serve(Question& what) {
    Answer answer = what.answer(*engine_);
    const std::lock_guard guard(answers_mutex_);
    answers_.push_back(std::move(answer));
  }

  void pin(const std::vector<unsigned>& cores) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const unsigned core : cores) CPU_SET(core, &set);
    pthread_setaffinity_np(thread_.native_handle(), sizeof set, &set);
  }

  // Control thread's.
  bool is_enabled_;
  Sequence asked_ = 0;
  std::uint64_t change_count_ = 0;  ///< Handed over, of those that a NIC may be concerned with.
  Sequence reshaped_ = 0;  ///< Last request that may bring rules to a NIC, or all away from it.
  std::unique_ptr<Request> kept_;  ///< Not handed over yet; UpdateRules.
  std::deque<std::unique_ptr<Request>> overflow_;
  // Shared.
  Hits hits_;
  OwningRing<Request> requests_{kRingSize};
  std::atomic<Sequence> settled_{0};
  std::atomic<bool> may_hold_rules_{false};  ///< As of settled_.
  std::atomic<bool> has_waiting_{false};
  mutable std::mutex answers_mutex_;  ///< Guards what follows up to `stops_`.
  std::deque<Answer> answers_;
  Latency latency_;
  std::uint64_t done_change_count_ = 0;
  std::uint64_t inserted_count_ = 0;
  std::atomic<bool> stops_{false};
  std::counting_semaphore<> wake_{0};
  // Offload thread's.
  std::unique_ptr<Engine> engine_;
  Sequence unsettled_ = 0;
  int waited_ = 0;
  std::thread thread_;
};

}  // namespace
}  // namespace hoist::offload

namespace hoist {

std::unique_ptr<FlowManager> FlowManager::create(const Config& config, ResumeTable& resume_table,
                                                 std::function<std::uint64_t()> now_ms) {
  return std::make_unique<offload::Manager>(config, resume_table, std::move(now_ms));
}

}  // namespace hoist
