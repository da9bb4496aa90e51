// What ghosh.tcl wants of ns-2.35 and stock ns-2 does not have, as a library for `ns` to load; library.sh builds it.
#include "errmodel.h"
#include "mac.h"
#include "mac-802_11.h"
#include "tcp.h"

// Reno and NewReno with a congestion window that stays what it is: `maxcwnd_`, from the first segment on, or with `syn_alone_` from
// the SYN's ACK on. Everything else is the agent's own: fast retransmit, the segments that duplicate ACKs let out in fast recovery
// (as far as `window_` allows), limited transmit, the retransmission timer.
template <class Sender>
class ConstantWindow : public Sender {
 public:
  ConstantWindow() { this->bind_bool("syn_alone_", &syn_alone_); }
  int window() override {
    if (syn_alone_ && this->highest_ack_ < 0) return 1;
    const int inflated = this->maxcwnd_ + this->dupwnd_;
    return inflated < int(this->wnd_) ? inflated : int(this->wnd_);
  }
  double windowd() override { return window(); }
  void opencwnd() override { restore(); }
  void recv(Packet* packet, Handler* handler) override {
    Sender::recv(packet, handler);
    restore();
  }
  void dupack_action() override {
    Sender::dupack_action();
    restore();
  }
  void timeout(int timer) override {
    Sender::timeout(timer);
    restore();
  }

 private:
  // What a loss has cut, limited transmit reads.
  void restore() { this->cwnd_ = this->maxcwnd_; }

  int syn_alone_ = false;
};

// Tahoe with a congestion window of `maxcwnd_`, but for the one segment that it sends again after a loss, which the next new
// ACK ends (and, unless `windowInit_` is the same, the first flight): RFC793edu without growth, with the retransmission timer of
// the other agents.
class ConstantButForLosses : public TcpAgent {
 public:
  void opencwnd() override { cwnd_ = maxcwnd_; }
};

// Errors of the frames that are for the node before whose MAC it stands. Stock ErrorModel draws for every frame that the node
// hears, and what is lost of other nodes' exchanges costs the MAC their NAV and an EIFS.
class AddressedErrors : public ErrorModel {
 public:
  int corrupt(Packet* packet) override {
    const Mac* mac = dynamic_cast<Mac*>(target_);
    const hdr_mac802_11* header = HDR_MAC802_11(packet);
    return mac && u_int32_t(ETHER_ADDR(header->dh_ra)) == u_int32_t(const_cast<Mac*>(mac)->addr())
               ? ErrorModel::corrupt(packet)
               : 0;
  }
};

template <class Object>
class Named : public TclClass {
 public:
  explicit Named(const char* name) : TclClass(name) { bind(); }
  TclObject* create(int, const char* const*) override { return new Object; }
};

extern "C" int Library_Init(Tcl_Interp*) {
  new Named<ConstantWindow<RenoTcpAgent>>("Agent/TCP/Reno/Constant");
  new Named<ConstantWindow<NewRenoTcpAgent>>("Agent/TCP/Newreno/Constant");
  new Named<ConstantButForLosses>("Agent/TCP/Constant");
  new Named<AddressedErrors>("ErrorModel/Addressed");
  return TCL_OK;
}
